#!/usr/bin/env bash
# Instruction counts (callgrind) of seven runs by one or two builds of narrows, as CSV: run, instructions, and with two
# builds the second count and the change in per cent. Usage: benches/instructions.sh NARROWS [NARROWS]
#
# The counts are those of the whole command and repeat to about 0.1 %. The last row is the difference of two sweeps, so
# that it is the cost of one point. Needs valgrind.
set -eu

count() { # PROGRAM ARGUMENT… -> instructions
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p'
}

point() { # PROGRAM -> instructions of one point of a sweep
    local few many
    few=$(sweep "$1" 100)
    many=$(sweep "$1" 300)
    echo $(((many - few) / 200))
}

sweep() { # PROGRAM POINTS -> instructions
    count "$1" sweep ping-pong --jobs 1 --set workload.ping-pong.messages=2 --set workload.ping-pong.warm-up=0 \
        --vary "run.seed=1..$2+1" --format csv
}

row() { # NAME COMMAND…, where a build takes the place of NARROWS
    local name=$1 counts=()
    shift
    for build in "${builds[@]}"; do counts+=("$("${@//NARROWS/$build}")"); done
    local line=$name
    for instructions in "${counts[@]}"; do line+=",$instructions"; done
    if [ "${#counts[@]}" = 2 ]; then
        line+=,$(awk "BEGIN { printf \"%+.2f\", 100 * (${counts[1]} / ${counts[0]} - 1) }")
    fi
    echo "$line"
}

builds=("$@")
[ "${#builds[@]}" -ge 1 ] || { echo "usage: $0 NARROWS [NARROWS]" >&2; exit 2; }
steady=(--set workload.ping-pong.warm-up=200 --set workload.ping-pong.messages=2000)
row cni32qm count NARROWS run memory-bus "${steady[@]}"
row ni2w count NARROWS run memory-bus "${steady[@]}" --set ni=ni2w
row startjr count NARROWS run memory-bus "${steady[@]}" --set ni=startjr
row trapeze count NARROWS run ping-pong "${steady[@]}"
row e-udp count NARROWS run udp --set workload.ping-pong.warm-up=10 --set workload.ping-pong.messages=200
row offered-load count NARROWS run offered-load
row sweep-point point NARROWS
