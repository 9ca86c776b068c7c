#!/bin/sh
# Builds the examples against the installed package. They must print what the documents say.
# usage: run.sh SOURCE_ROOT BUILD_ROOT
set -eu
source=$1 build=$2
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
DESTDIR=$to meson install -C "$build" --no-rebuild --quiet >"$to/log" 2>&1 || {
    cat "$to/log"
    exit 1
}
pc=$(find "$to" -name boxscore.pc)
export PKG_CONFIG_PATH="$(dirname "$pc")" PKG_CONFIG_SYSROOT_DIR="$to"
flags=$(pkg-config --cflags --libs boxscore)
export LD_LIBRARY_PATH="$(dirname "$(find "$to" -name libboxscore.so)")"

for example in encode decode describe count count_part intervals; do
    # shellcheck disable=SC2086 # words
    cc -std=c99 -pedantic -Wall -Wextra -Werror "$source/examples/$example.c" $flags -o "$to/$example"
done
# The header can be used in C++, too.
if command -v c++ >/dev/null; then
    echo '#include <boxscore/measure.h>' >"$to/header.cc"
    # shellcheck disable=SC2046 # words
    c++ -pedantic -Wall -Wextra -Werror -c -o "$to/header.o" $(pkg-config --cflags boxscore) "$to/header.cc"
fi

bad=0
expect() { # what is printed, then the command
    expected=$1
    shift
    is=$("$@" 2>&1) || true
    [ "$is" = "$expected" ] && return
    printf '%s\n--- printed\n%s\n--- expected\n%s\n' "$*" "$is" "$expected"
    bad=$((bad + 1))
}
# 334060-001 tables 2-7 and 2-9: code 34H, unit mask 88H, enabled; 700H and 706H of C-Box 0.
selected='skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I
write msr 0x700 = 0x408834  MSR_UNC_CBO_0_PERFEVTSEL0'
expect "$selected
read  msr 0x706  MSR_UNC_CBO_0_PERFCTR0" "$to/encode" skl UNC_CBO_CACHE_LOOKUP:ANY_I
expect "unknown event 'UNC_CLOCKS'
hint: did you mean 'UNC_CLOCK'?" "$to/encode" skl UNC_CLOCKS
printf '0xe01 0x20000000\n0x730 0x408834\n' >"$to/log"
expect skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_I sh -c "'$to/decode' skl <'$to/log'"
python="python3 $source/examples/boxscore_by_ctypes.py"
# shellcheck disable=SC2086
expect "$selected" $python encode skl UNC_CBO_CACHE_LOOKUP:ANY_I
# shellcheck disable=SC2086
expect "unknown event 'UNC_CLOCKS'" $python encode skl UNC_CLOCKS
# A triad reads three arrays of 1 MiB, in lines of 64 bytes, spread equally over the model's slices.
lookups=UNC_CBO_CACHE_LOOKUP:ANY_I
lines=$((3 * 1024 * 1024 / 64))
counted=$(
    echo "skl_unc_cbo::$lookups all: $lines lookups"
    for slice in 0 1 2 3; do
        echo "skl_unc_cbo::$lookups C-Box $slice: $((lines / 4)) lookups"
    done
)
expect "$counted" "$to/count" virtual:skl,part=plain $lookups stream,size=1M
expect "there is no workload 'steam'" sh -c "'$to/count' virtual:skl,part=plain $lookups steam 2>&1 | head -n 1"
# shellcheck disable=SC2086
expect "$counted" $python count virtual:skl,part=plain $lookups stream,size=1M
# shellcheck disable=SC2086
expect skl_unc_cbo3::$lookups $python decode skl 0xe01=0x20000000 0x730=0x408834

# The intervals of a traced program add up to the whole run.
intervals=$("$to/intervals" virtual:skl,part=plain $lookups 20 "$build/boxscore" --version)
echo "$intervals" | awk '/ in all$/ { whole = $3; next } / s: / { sum += $3; n++ }
    END { exit !(n > 1 && sum > 0 && sum == whole) }' || {
    echo "intervals: $intervals"
    bad=$((bad + 1))
}

# meson sets this variable: it makes memory touched when it is allocated, so count_part would have
# no page faults.
unset MALLOC_PERTURB_
# A part of the program itself: on the host if its kernel allows us to count page faults, else on
# stage. There is at least one page fault for each 4 KiB of 64 MiB, or for each huge page.
if part=$("$to/count_part" host page-faults 2>"$to/why"); then
    echo "count_part: counted on the host"
    least=32
else
    echo "count_part: counted on stage: $(head -n 1 "$to/why")"
    part=$("$build/boxscore" stage -- "$to/count_part" host UNC_CLOCK)
    least=1
fi
count=$(echo "$part" | sed -n 's/^[^ ]*: \([0-9]*\) .*(counted)$/\1/p')
[ "${count:-0}" -ge "$least" ] || {
    echo "count_part: $part"
    bad=$((bad + 1))
}
pmus=$("$to/describe" skl)
# shellcheck disable=SC2086
expect "$pmus" $python describe skl
case $pmus in
*skl_unc_cbo:*skl_unc_arb:*) ;;
*) bad=$((bad + 1)) && echo "describe skl: $pmus" ;;
esac
"$to/describe" skl skl_unc_cbo | grep -q '^  ANY_I: ' || bad=$((bad + 1))
echo "$bad bad"
[ "$bad" = 0 ]
