#!/usr/bin/env bash
# The cost of runs of offered-load, the whole command: instructions per flit-hop by callgrind, or processor time against
# a BookSim2 binary. Usage:
#
#   benches/offered-load.sh instructions NARROWS…
#   benches/offered-load.sh booksim2 BOOKSIM2 NARROWS [PAIRS]
#
# Instructions are the difference of two run lengths, divided by the difference of their flit-hops: crossings of links
# that leave a router. Needs valgrind.
#
# Processor time (user and system) is that of whole commands in interleaved pairs, one of each program; the table has
# the median of the ratios of simulated cycles per second, with the smallest and the largest. Both programs simulate
# uniform traffic on a square mesh with the same routers. Narrows' run is longer, since its start takes as long as
# thousands of cycles. BOOKSIM2 is an executable built from BookSim2's own sources; nothing of it is part of this project.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. benches/booksim2-configuration.sh

narrows() { # NARROWS SIDE FLITS LOAD WARM-UP CYCLES
    "${wrapper[@]}" "$1" run examples/offered-load.toml --set "fabric.mesh.shape=[$2, $2]" \
        --set workload.offered.packet-flits="$3" --set workload.offered.load="$4" \
        --set workload.offered.warm-up="$5" --set workload.offered.cycles="$6" --format json --no-host
}

value() { # METRIC, of the JSON on standard input
    tr -d ' \n' | sed -n "s/.*\"$1\":{\"value\":\([^,}]*\).*/\1/p"
}

count() { # NARROWS SIDE FLITS LOAD CYCLES -> instructions, and crossings of links per link
    wrapper=(valgrind --tool=callgrind --callgrind-out-file=/dev/null)
    narrows "$1" "$2" "$3" "$4" 1000 "$5" 2> "$work/err" > "$work/out"
    local instructions
    instructions=$(sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p' "$work/err")
    echo "$instructions $(value cycles < "$work/out") $(value links.utilisation < "$work/out")"
}

instructions() { # NARROWS…
    echo "packet,load,$(IFS=, && echo "$*")"
    local flits load few many build line
    while read -r flits load few many; do
        line=$flits,$load
        for build in "$@"; do
            # An 8x8 mesh has 352 links. Of the 22/3 links that the mean packet crosses, 19/3 leave a router.
            line+=,$(echo "$(count "$build" 8 "$flits" "$load" "$few") $(count "$build" 8 "$flits" "$load" "$many")" |
                awk '{ printf "%.0f", ($4 - $1) / (($5 * $6 - $2 * $3) * 352 * 19 / 22) }')
        done
        echo "$line"
    done <<'RUNS'
1 0.05 6000 26000
1 0.2 3000 13000
1 0.4 2000 12000
8 0.05 6000 26000
8 0.2 3000 13000
8 0.4 2000 12000
RUNS
}

# Processor time of a command in seconds; its output is in $work/out.
processor_time() {
    local TIMEFORMAT='%U %S'
    { time "$@" > "$work/out" 2> "$work/err" || true; } 2> "$work/time"
    awk '{ print $1 + $2 }' "$work/time"
}

against_booksim2() { # BOOKSIM2 NARROWS [PAIRS]
    local booksim=$1 build=$2 pairs=${3:-5} side flits load booksim_cycles cycles theirs ours simulated
    wrapper=()
    echo "| mesh | packet (flits) | load | BookSim2 cycles/s | Narrows cycles/s | ratio | from | to |"
    echo "|---|---:|---:|---:|---:|---:|---:|---:|"
    while read -r side flits load booksim_cycles cycles; do
        booksim2_configuration "$side" "$flits" "$load" "$booksim_cycles" > "$work/run"
        : > "$work/pairs"
        for _ in $(seq "$pairs"); do
            theirs=$(processor_time "$booksim" "$work/run")
            ours=$(processor_time narrows "$build" "$side" "$flits" "$load" $((cycles / 10)) "$cycles")
            simulated=$(value cycles < "$work/out")
            echo "$theirs $ours $booksim_cycles $simulated" |
                awk '{ print ($4 / $2) / ($3 / $1), $3 / $1, $4 / $2 }' >> "$work/pairs"
        done
        sort -g "$work/pairs" | awk -v side="$side" -v flits="$flits" -v load="$load" '
            { ratio[NR] = $1; theirs[NR] = $2; ours[NR] = $3 }
            END {
                middle = int((NR + 1) / 2)
                printf "| %sx%s | %s | %s | %.0f | %.0f | %.1f | %.1f | %.1f |\n", side, side, flits, load,
                    theirs[middle], ours[middle], ratio[middle], ratio[1], ratio[NR]
            }'
    done <<'RUNS'
8 1 0.05 20000 1000000
8 1 0.2 10000 400000
8 1 0.4 6000 200000
8 8 0.05 30000 2000000
8 8 0.2 10000 600000
8 8 0.4 6000 300000
32 1 0.05 1000 40000
32 8 0.05 1000 60000
RUNS
}

usage() {
    echo "usage: $0 instructions NARROWS… | booksim2 BOOKSIM2 NARROWS [PAIRS]" >&2
    exit 2
}

case "${1:-}" in
    instructions) [ $# -ge 2 ] || usage; shift; instructions "$@" ;;
    booksim2) [ $# -ge 3 ] || usage; shift; against_booksim2 "$@" ;;
    *) usage ;;
esac
