#!/bin/sh
# Simulated cycles per second of Narrows' router network and of a BookSim2 binary, on the same
# configurations, by turns in the same run, the best sample of each: benches/against-booksim2.sh PATH [SAMPLES]
# PATH is an executable built from BookSim2's own sources; nothing of it is part of this project.
set -eu
booksim=${1:?the path of a BookSim2 binary}
samples=${2:-3}
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
narrows=${NARROWS_FABRIC_BENCH:-}
if [ -z "$narrows" ]; then
    narrows=$(cargo bench --bench fabric --no-run --message-format=json |
        sed -n 's/.*"name":"fabric".*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
fi

# Cycles per second of one BookSim2 run of a single sample, as it tells itself: SIDE FLITS LOAD CYCLES.
# The sample begins with an empty network, which it simulates faster, so that it lasts many times a packet's latency.
booksim2() {
    cat > "$work/run" <<CONFIGURATION
topology = mesh; k = $1; n = 2; routing_function = dor; traffic = uniform;
num_vcs = 4; vc_buf_size = 8; wait_for_tail_credit = 0; packet_size = $2;
vc_allocator = separable_input_first; sw_allocator = separable_input_first; alloc_iters = 1;
routing_delay = 1; vc_alloc_delay = 1; sw_alloc_delay = 1; st_final_delay = 1; credit_delay = 1;
injection_rate = $(awk "BEGIN { print $3 / $2 }"); sim_type = throughput; sim_count = 1;
warmup_periods = 0; sample_period = $4; max_samples = 1; latency_thres = 1000000.0;
CONFIGURATION
    "$booksim" "$work/run" > "$work/out" || true
    awk -v cycles="$4" '/^Total run time/ { print cycles / $4 }' "$work/out"
}

# The largest of the lines.
best() {
    sort -g | tail -n 1
}

echo "| mesh | packet | load | BookSim2 cycles/s | Narrows cycles/s | ratio |"
echo "|---|---:|---:|---:|---:|---:|"
while read -r side flits load booksim_cycles cycles; do
    : > "$work/theirs"
    : > "$work/ours"
    for _ in $(seq "$samples"); do
        booksim2 "$side" "$flits" "$load" "$booksim_cycles" >> "$work/theirs"
        "$narrows" "$side" "$flits" "$load" "$cycles" >> "$work/ours" 2> "$work/err"
    done
    theirs=$(best < "$work/theirs")
    ours=$(best < "$work/ours")
    awk -v side="$side" -v flits="$flits" -v load="$load" -v theirs="$theirs" -v ours="$ours" \
        'BEGIN { printf "| %sx%s | %s | %s | %.0f | %.0f | %.0f |\n", side, side, flits, load, theirs, ours, ours / theirs }'
done <<RUNS
8 1 0.05 10000 200000
8 1 0.2 5000 60000
8 1 0.4 3000 30000
8 8 0.05 10000 200000
8 8 0.2 5000 60000
8 8 0.4 3000 30000
32 1 0.05 1000 4000
32 8 0.05 1000 4000
RUNS
