#!/bin/sh
# Figures of the hot paths: instruction counts by cachegrind, and rates as ratios to a peer measured in
# the same run (medians of five interleaved rounds). usage: bench/run.sh BUILD_ROOT
set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

instructions() { # command…; prints the instructions that cachegrind counted
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$@" 2>&1 >/dev/null </dev/null |
        sed -n 's/,//g; s/.* I *refs: *//p'
}

per_call() { # command that takes N as its last argument; prints the instructions of one call
    low=$("$@" 1000) high=$("$@" 3000)
    awk -v low="$low" -v high="$high" 'BEGIN { printf "%.1f", (high - low) / 2000 }'
}

echo "== start-up"
list=$(instructions "$build/boxscore" list --cpu skl)
echo "boxscore list --cpu skl: $list instructions (at most 1500000)"

# Both programs find their libraries in the same way, in their own folder, with lazy binding, the
# default.
unset LD_BIND_NOW
here=$(dirname "$0")
cp "$build/src/libboxscore.so.0" "$work"
ln -s libboxscore.so.0 "$work/libboxscore.so"
cc -O2 -shared -fPIC -o "$work/libone.so" "$here/one.c"
cc -O2 -o "$work/base" "$here/base.c" -L"$work" -lone -Wl,-rpath,"$work"
cc -O2 -I "$here/../include" -o "$work/first" "$here/first.c" -L"$work" -lboxscore -Wl,-rpath,"$work"
first=$(instructions "$work/first")
base=$(instructions "$work/base")
echo "first encoding of a program linked to libboxscore.so: $((first - base)) instructions" \
    "beyond a program linked to a library of one function (at most 20000)"

command=$(instructions "$build/boxscore" encode skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:READ_MESI)
echo "boxscore encode EVENT: $command instructions (at most 610000: 1.05 x those before recordings)"

for machine in skl ivbep nhmex p6; do
    start=$(instructions "$build/boxscore" stat --machine virtual:$machine --workload chase,size=64,passes=1)
    echo "boxscore stat on virtual:$machine, default events, one load: $start instructions (at most 15000000)"
done

echo "== encoding, one event string to register values: instructions, mean of each group"
sed '/^#/d' "$here/events" | while read -r group event; do
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

echo "== sample of eight C-Box counters"
sample() { instructions "$build/bench/bench_sample" session "$1"; }
bus() { instructions "$build/bench/bench_sample" bus "$1"; }
whole=$(per_call sample) access=$(per_call bus)
awk -v w="$whole" -v b="$access" 'BEGIN {
    printf "%.1f instructions a counter, of which the virtual bus takes %.1f: %.1f beside it (at most 40)\n",
        w / 8, b / 8, (w - b) / 8 }'

echo "== server of counts, 1,000 series and 2,000: instructions of a scrape, of an answer in JSON, of taking an interval's values"
for what in prometheus openmetrics values intervals add; do
    echo "$what: $(for series in 1000 2000; do
        of() { instructions "$build/bench/bench_scrape" "$what" "$series" "$1"; }
        echo $((($(of 12) - $(of 2)) / 10))
    done | paste -sd ' ')"
done

echo "== passes and plan of 4,000 events; and of 8,000: a plan lists each pass in full, so it may take up to four times as much"
passes() { # what, machine, event…
    what=$1 machine=$2
    shift 2
    some=$(instructions "$build/bench/bench_schedule" "$machine" 4000 "$@")
    twice=$(instructions "$build/bench/bench_schedule" "$machine" 8000 "$@")
    awk -v what="$what" -v some="$some" -v twice="$twice" 'BEGIN {
        printf "%s: %.0f million instructions, %.1f x\n", what, some / 1e6, twice / some }'
}
passes "one fixed counter" virtual:skl,part=plain UNC_CLOCK
passes "C-Box" virtual:skl,part=plain UNC_CBO_CACHE_LOOKUP:ANY_I UNC_CBO_CACHE_LOOKUP:ANY_MESI:t=1 UNC_CBO_XSNP_RESPONSE:MISS_XCORE
passes "shared filters" virtual:ivbep,part=plain ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:DATA_READ:STATE_I \
    ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:WRITE:STATE_M ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:ANY:STATE_S
passes "three PMUs" virtual:skl,part=plain UNC_CBO_CACHE_LOOKUP:ANY_I UNC_ARB_TRK_REQUESTS:ALL UNC_CLOCK

echo "== machine model, what the order of accesses costs: instructions of an access"
order() { # machine, event, cores, iterations of a core, workload
    of() {
        case $1 in
        *part=*) keys=$1 ;;
        *) keys=$(echo "$1" | sed 's/^[a-z0-9]*/&,part=plain/') ;; # a mechanism at a time
        esac
        instructions "$build/boxscore" stat --machine "virtual:$keys" -e "$2" --workload "$(
            echo "$3" | sed "s/ITERATIONS/$4/g")"
    }
    low=$(of "$1" "$2" "$5" "$4") high=$(of "$1" "$2" "$5" "$((4 * $4))")
    awk -v low="$low" -v high="$high" -v n="$((3 * $4 * $3))" 'BEGIN { printf "%.0f", (high - low) / n }'
}
each="random,iterations=ITERATIONS,size"
for machine in skl,cores=4:UNC_CBO_CACHE_LOOKUP:ANY_I ivbep:UNC_C_LLC_LOOKUP:ANY nhmex:LLC_HITS:ALL; do
    event=${machine#*:} machine=${machine%%:*}
    echo "${machine%%,*}: one core $(order "$machine" "$event" 1 10000 "$each=128K")," \
        "four on separate data $(order "$machine" "$event" 4 10000 \
            "$each=128K+$each=128K,at=1M+$each=128K,at=2M+$each=128K,at=3M")," \
        "four on shared data $(order "$machine" "$event" 4 10000 "$each=128K,cores=4")," \
        "four on 8 lines $(order "$machine" "$event" 4 10000 "$each=4K,stride=512,cores=4")"
done
echo "nhmex, 8 packages: 8 cores on separate data, all missing" \
    "$(order nhmex,packages=8 LLC_HITS:ALL 8 200 "$each=64M,cores=8")," \
    "64 cores $(order nhmex,packages=8 LLC_HITS:ALL 64 200 "$each=64M,cores=64")"

echo "== machine model, memory with dram_rate: instructions of a random access of four cores, half of them stores"
for machine in skl=2133:DRAM_DATA_READS ivbep=1600:UNC_C_LLC_LOOKUP:ANY nhmex=1066:LLC_HITS:ALL; do
    event=${machine#*:} rate=${machine%%:*}
    rate=${rate#*=} machine=${machine%%=*} workload=$each=64M,write=50,cores=4
    echo "$machine: $(order "$machine" "$event" 4 3000 "$workload")," \
        "with it $(order "$machine,dram_rate=$rate" "$event" 4 3000 "$workload")"
done

echo "== machine model, window=56 and store_buffer=56: instructions of a random access of four cores, half of them stores"
for machine in skl:DRAM_DATA_READS ivbep:UNC_C_LLC_LOOKUP:ANY nhmex:LLC_HITS:ALL; do
    event=${machine#*:} machine=${machine%%:*} workload=$each=64M,write=50,cores=4
    echo "$machine: $(order "$machine" "$event" 4 3000 "$workload")," \
        "window $(order "$machine,window=56" "$event" 4 3000 "$workload")," \
        "store buffer $(order "$machine,store_buffer=56" "$event" 4 3000 "$workload")"
done

echo "== TLBs: instructions of an access, off, on, and on with pages of 2 MiB"
for size in 128K 64M; do
    echo "random, $size: $(for keys in tlb=off tlb=on tlb=on,pages=2M; do
        order "skl,$keys" UNC_CBO_CACHE_LOOKUP:ANY_I 1 10000 "$each=$size" && echo
    done | paste -sd ' ')"
done

echo "== prefetchers: instructions of an access with prefetch=on, and without"
for machine in skl:UNC_CBO_CACHE_LOOKUP:ANY_I ivbep:UNC_C_LLC_LOOKUP:ANY nhmex:LLC_HITS:ALL; do
    event=${machine#*:} machine=${machine%%:*}
    for work in "$each=128K" "$each=64M"; do
        echo "$machine, ${work##*,}: $(order "$machine,prefetch=on" "$event" 1 10000 "$work")," \
            "$(order "$machine" "$event" 1 10000 "$work")"
    done
done

all=part=i7-6700k,memory=ddr4-2133,prefetch=on
echo "== all mechanisms, $all: instructions of an access, without, with them, and with pages of 2 MiB"
for size in 128K 64M; do
    echo "random, $size: $(for keys in cores=4 "$all" "$all,pages=2M"; do
        order "skl,$keys" UNC_CBO_CACHE_LOOKUP:ANY_I 1 10000 "$each=$size" && echo
    done | paste -sd ' ')"
done

echo "== tracer, 20 MB of text"
seconds() { # command…
    begin=$(date +%s.%N)
    "$@" >/dev/null 2>&1
    end=$(date +%s.%N)
    awk -v b="$begin" -v e="$end" 'BEGIN { print e - b }'
}
tracer=$build/tracer/boxscore-tracer-amd64-linux
alone() { VALGRIND_LAUNCHER=$tracer "$tracer" --tool=boxscore-tracer --drop=yes -q -- "$@"; }
none() { valgrind --tool=none -q "$@"; }
cachegrind() { valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null "$@"; }
whole() { "$build/boxscore" stat --machine virtual:skl,part=plain -- "$@"; } # counts all default events
ratio() { # of the times of two commands; the median of three rounds
    for _ in 1 2 3; do
        # shellcheck disable=SC2086 # commands and their arguments
        echo "$(seconds $1) $(seconds $2)"
    done | awk '{ printf "%.2f\n", $1 / $2 }' | sort -n | sed -n 2p
}
awk 'BEGIN { for (i = 0; n < 20000000; i++) { x = (x * 1103515245 + 12345) % 2147483648; s = x % 100003 " line " i " " x; n += length(s) + 1; print s } }' \
    >"$work/text20"
if [ -x "$tracer" ]; then
    for row in '1.1 gzip -c' '1.1 sort --parallel=1' '0.6 sort --parallel=2'; do
        program="${row#* } $work/text20"
        echo "${row#* }: without a reader $(ratio "alone $program" "none $program") x --tool=none (at most 2)," \
            "with a model $(ratio "cachegrind $program" "whole $program") x cachegrind's speed (at least ${row%% *})"
    done
    echo "a process that does nothing: $(ratio "whole true" "cachegrind true") x cachegrind's time (at most 1.2)"
    threads="whole $build/bench/bench_threads"
    echo "four threads on four cores: $(ratio "$threads 1" "$threads 4") x the speed of one with the same work (at least 0.6)"
fi

echo "== trace files, 20 MB of text: times as ratios to those of tracing again"
file=$work/trace
record() { "$build/boxscore" trace --machine virtual:skl,part=plain -o "$file" -- "$@"; }
replay() { "$build/boxscore" stat --machine virtual:skl,part=plain -e UNC_CBO_CACHE_LOOKUP:ANY_I --trace "$file"; }
replay_tlb() { "$build/boxscore" stat --machine virtual:skl,part=plain,tlb=on -e UNC_CBO_CACHE_LOOKUP:ANY_I --trace "$file"; }
replay_all() { "$build/boxscore" stat --machine "virtual:skl,$all" -e UNC_CBO_CACHE_LOOKUP:ANY_I --trace "$file"; }
unpack() { "$build/boxscore" trace info "$file"; }
untimed() { "$build/bench/bench_trace" "$@"; }
for program in 'gzip -c' 'sort --parallel=1'; do
    if [ -x "$tracer" ]; then
        # shellcheck disable=SC2086 # a command and its option
        writing=$(ratio record untimed $program "$work/text20")
        bytes=$(unpack | awk '/^(loads|stores|modifications) / { n += $2 } /^bytes / { b = $2 }
            END { printf "%.2f", b / n }')
        # shellcheck disable=SC2086
        echo "$program: $bytes bytes a reference (at most 1), written in $writing," \
            "replayed in $(ratio replay whole $program "$work/text20") (at most 1)," \
            "without a model in $(ratio unpack untimed $program "$work/text20") (at most 0.5)," \
            "with TLBs in $(ratio replay_tlb replay) of a replay's time without," \
            "with all mechanisms in $(ratio replay_all replay)," \
            "then $(ratio "cachegrind $program $work/text20" replay_all) x cachegrind's references a second (at least 0.9)"
    fi
done

if [ -x "$tracer" ]; then
    head -c 200000 "$work/text20" >"$work/text0.2"
    record sort --parallel=1 "$work/text0.2" >/dev/null 2>&1
    timed() { instructions "$build/boxscore" stat --machine "virtual:skl,part=plain$1" -e UNC_CLOCK --trace "$file"; }
    plain=$(timed "") core=$(timed ,width=4,l1=4)
    awk -v p="$plain" -v c="$core" 'BEGIN {
        printf "the time of a core: %.3f x the instructions of the plain rule, %.0f million\n", c / p, p / 1e6 }'

    misses() { # a modifier, machine keys; prints the instructions of a replay
        instructions "$build/boxscore" stat --machine "virtual:skl$2" -e "L2_RQSTS:MISS$1" --trace "$file"
    }
    for keys in ,part=plain ""; do
        awk -v a="$(misses "" "$keys")" -v c="$(misses :c=1 "$keys")" -v keys="$keys" 'BEGIN {
            printf "a threshold on requests of a core, virtual:skl%s: %.2f x the instructions without (at most 1.3)\n", keys, c / a }'
    done

    addition() { # a key; prints the instructions of one locked addition (a pass has 65536)
        for passes in 1 3; do
            record "$build/tests/validate/validate_loops" locked 1 1 $passes >/dev/null 2>&1
            timed "$1"
        done | paste -sd ' ' | awk '{ printf "%.0f", ($2 - $1) / (2 * 65536) }'
    }
    echo "locked=18: instructions of a locked addition and its loop $(addition ,locked=18)," \
        "without $(addition "")"
fi

echo "== recordings: instructions of a replay, as ratios to those of stat (goals: 1.15; with calls and data 1.25)"
# The difference of two lengths: what a recording does once, such as names, is left out. Commits come
# by the clock, which is as slow as the counted program.
cc -O2 -D_GNU_SOURCE -shared -fPIC -o "$work/clock.so" "$here/clock.c"
by_clock() { LD_PRELOAD=$work/clock.so instructions "$@"; }
events=UNC_CBO_CACHE_LOOKUP:ANY_I,DRAM_DATA_READS,DRAM_DATA_WRITES,UNC_CBO_XSNP_RESPONSE:HITM_XCORE
if [ -x "$tracer" ]; then
    for program in 'gzip -c' 'sort --parallel=1'; do
        for bytes in 60000 180000; do
            head -c $bytes "$work/text20" >"$work/part"
            # shellcheck disable=SC2086 # a command and its options
            record $program "$work/part" >/dev/null 2>&1
            for machine in virtual:skl,part=plain "virtual:skl,part=i7-6700k"; do
                set -- --machine "$machine" -e $events --trace "$file"
                echo "$machine $bytes $(by_clock "$build/boxscore" stat "$@")" \
                    "$(by_clock "$build/boxscore" record -o "$work/off" --contexts off --objects off "$@")" \
                    "$(by_clock "$build/boxscore" record -o "$work/on" "$@")"
            done
        done | sort -k1,1 -k2,2n | awk -v p="$program" '
            $1 == last { printf "%s, %s: %.2f, with calls and data %.2f\n", p, $1, ($4 - b) / ($3 - a), ($5 - c) / ($3 - a) }
            { last = $1; a = $3; b = $4; c = $5 }'
    done
fi
find "$here/../src" -name '*.c' -print0 |
    xargs -0 cc -w -g -O1 -shared -fPIC -D_GNU_SOURCE '-DBX_LIBEXEC=""' -I"$here/.." -I"$here/../src" -I"$here/../include" -o "$work/debug.so"
"$build/bench/bench_symbols" "$work/debug.so" 20000 | awk '{
    printf "names of 20,000 addresses: %d with a source line, %.2f s (at most 1)\n", $1, $2 }'

echo "== machine model, recorded accesses of real programs"
awk 'BEGIN { for (i = 0; i < 700000; i++) { x = (x * 1103515245 + 12345) % 2147483648; print x % 100003, "line", i, x } }' \
    >"$work/text"
references=16000000
round() { # trace, program…; prints data references per second of cachegrind and of the model
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

echo "== programs on virtual machines: CPU time by that of the program alone; docs/reference/limits.md"
[ ! -x "$tracer" ] || python3 "$here/slowdown.py" "$build"

echo "== programs and instructions, with their goals; docs/explanation/speed.md"
[ ! -x "$tracer" ] || python3 "$here/speed.py" "$build"
