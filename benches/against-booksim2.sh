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
. benches/booksim2-configuration.sh
narrows=${NARROWS_FABRIC_BENCH:-}
if [ -z "$narrows" ]; then
    narrows=$(cargo bench --bench fabric --no-run --message-format=json |
        sed -n 's/.*"name":"fabric".*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
fi

# Prints the cycles per second that BookSim2 reports for a run of one sample: SIDE FLITS LOAD CYCLES. The sample begins
# with an empty network, whose cycles are simulated faster, so it lasts many times a packet's latency.
booksim2() {
    booksim2_configuration "$1" "$2" "$3" "$4" > "$work/run"
    "$booksim" "$work/run" > "$work/out" || true
    awk -v cycles="$4" '/^Total run time/ { print cycles / $4 }' "$work/out"
}

# Prints the largest of the numbers on standard input.
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
