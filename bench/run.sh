#!/bin/sh
# Figures of the hot paths: instruction counts by callgrind, and rates as ratios to a peer measured in
# the same run (medians of five interleaved rounds). usage: bench/run.sh BUILD_ROOT
set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

instructions() { # command…: what callgrind collected
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null </dev/null |
        sed -n 's/.*Collected : //p'
}

per_call() { # command with N last but for trailing words, given as a function of N
    low=$("$@" 1000) high=$("$@" 3000)
    awk -v low="$low" -v high="$high" 'BEGIN { printf "%.1f", (high - low) / 2000 }'
}

echo "== start-up"
list=$(instructions "$build/boxscore" list --cpu skl)
echo "boxscore list --cpu skl: $list instructions (at most 1500000)"

echo "== encoding, one event string to register values: instructions, mean of each group"
sed '/^#/d' "$(dirname "$0")/events" | while read -r group event; do
    ours() { instructions "$build/bench/bench_encode" "$1" "$event"; }
    theirs() { instructions "$build/bench/bench_libpfm" "$1" "$event"; }
    peer=-
    # Debian's libpfm4 has Ivy Bridge-EP; the P6 family only in its 32-bit package.
    [ "$group" = ivbep ] && [ -x "$build/bench/bench_libpfm" ] && peer=$(per_call theirs)
    echo "$group $(per_call ours) $peer"
done | awk '
    { n[$1]++; sum[$1] += $2; peer[$1] += $3 }
    END {
        for (g in n)
            printf "%-6s %6.0f%s\n", g, sum[g] / n[g],
                peer[g] ? sprintf(", libpfm4 %.0f: %.1f x", peer[g] / n[g], peer[g] / sum[g]) : ""
    }' | sort

# The ten strings of each PMU on which libpfm4 was measured first; libpfm4 beside it where it is
# installed and knows the PMU (the P6 family only in its 32-bit library).
ten() { # what, at most
    ours=0 theirs=0
    while read -r event; do
        encode() { instructions "$build/bench/bench_encode" "$1" "$event"; }
        libpfm() { instructions "$build/bench/bench_encode_libpfm" "$1" "$event"; }
        ours=$(per_call encode | awk -v s="$ours" '{ print s + $1 }')
        if "$build/bench/bench_encode_libpfm" 1 "$event" >/dev/null; then
            theirs=$(per_call libpfm | awk -v s="$theirs" '{ print s + $1 }')
        fi
    done
    awk -v what="$1" -v most="$2" -v o="$ours" -v t="$theirs" 'BEGIN {
        printf "mean of ten %s strings: %.0f instructions (at most %d)", what, o / 10, most
        if (t) printf ", libpfm4 %.0f", t / 10
        print "" }'
}
ten 'Ivy Bridge-EP' 1000 <<'EOF'
ivbep_unc_cbo0::UNC_C_CLOCKTICKS
ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:DATA_READ
ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:WRITE:NID:nf=3:tf=1:e:t=1
ivbep_unc_cbo0::UNC_C_LLC_VICTIMS:STATE_M:STATE_S
ivbep_unc_cbo0::UNC_C_TOR_INSERTS:OPCODE:OPC_PCIWILF:isoc=1
ivbep_unc_cbo0::UNC_C_TOR_INSERTS:OPC_RFO:NID_OPCODE:nf=1
ivbep_unc_cbo0::UNC_C_TOR_OCCUPANCY:MISS_REMOTE
ivbep_unc_cbo0::UNC_C_RING_BL_USED:UP
ivbep_unc_cbo0::UNC_C_COUNTER0_OCCUPANCY
ivbep_unc_cbo14::UNC_C_LLC_LOOKUP:DATA_READ
EOF
ten P6 800 <<'EOF'
p6::CPU_CLK_UNHALTED
p6::INST_RETIRED:u
p6::DATA_MEM_REFS:k:c=2:i=1
p6::L2_LD:M:E
p6::L2_RQSTS:M:E:S:I
p6::BUS_DRDY_CLOCKS:ANY
p6::BUS_TRAN_MEM:SELF:u:k:e
p6::MMX_INSTR_TYPE_EXEC:MUL:PACK
p6::SEG_RENAME_STALLS:ES:DS
p6::RET_SEG_RENAMES
EOF

echo "== sample of eight C-Box counters"
sample() { instructions "$build/bench/bench_sample" session "$1"; }
bus() { instructions "$build/bench/bench_sample" bus "$1"; }
whole=$(per_call sample) access=$(per_call bus)
awk -v w="$whole" -v b="$access" 'BEGIN {
    printf "%.1f instructions a counter, of which the virtual bus takes %.1f: %.1f beside it (at most 40)\n",
        w / 8, b / 8, (w - b) / 8 }'

echo "== machine model, recorded accesses of real programs"
awk 'BEGIN { for (i = 0; i < 700000; i++) { x = (x * 1103515245 + 12345) % 2147483648; print x % 100003, "line", i, x } }' \
    >"$work/text"
references=16000000
round() { # trace, program…: D refs per second of cachegrind, of the model
    trace=$1
    shift
    begin=$(date +%s.%N)
    refs=$(valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        sed -n 's/,//g; s/.*D   *refs: *\([0-9]*\).*/\1/p')
    end=$(date +%s.%N)
    model=$("$build/bench/bench_model" "$trace" | awk '{ print $3 }')
    awk -v b="$begin" -v e="$end" -v r="$refs" -v m="$model" 'BEGIN { c = r / (e - b) / 1e6; printf "%.2f %.1f %.1f\n", m / c, m, c }'
}
for program in 'gzip -c' sort; do
    name=${program%% *}
    # shellcheck disable=SC2086 # a command and its option
    "$build/bench/bench_record" -n $references "$work/$name.data" -d $program "$work/text" >/dev/null
    # shellcheck disable=SC2086
    "$build/bench/bench_record" -n $references "$work/$name.all" $program "$work/text" >/dev/null
    for kind in data all; do
        for _ in 1 2 3 4 5; do
            # shellcheck disable=SC2086
            round "$work/$name.$kind" $program "$work/text"
        done | sort -n | sed -n 3p | while read -r ratio model peer; do
            echo "$name, $kind: $ratio x cachegrind ($model against $peer M data references a second)"
        done
    done
    echo "$name: $("$build/bench/bench_model" --oracle "$work/$name.data")"
done
