#!/bin/sh
# Builds the programs of libpfm4-dev unchanged, with its header, and runs them with our library.
# usage: examples.sh CC TESTS LIBRARY
set -eu
cc=$1 library=$3
examples=/usr/share/doc/libpfm4-dev/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in check_events showevtinfo; do
    if [ -e "$examples/$file.c" ]; then
        cat "$examples/$file.c" >"$work/$file.c"
    elif [ -e "$examples/$file.c.gz" ]; then
        gzip -dc "$examples/$file.c.gz" >"$work/$file.c"
    else
        echo "skipped: no $examples/$file.c (libpfm4-dev)"
        exit 77
    fi
done

# The package does not have a header that its programs include; it is <err.h> under another name.
mkdir -p "$work/include/perfmon"
echo '#include <err.h>' >"$work/include/perfmon/err.h"
for file in check_events showevtinfo; do
    "$cc" -w -I"$work/include" -o "$work/$file" "$work/$file.c" -lpfm
done
LD_LIBRARY_PATH=$(dirname "$library")
BOXSCORE_LIBPFM= # only our own PMUs
export LD_LIBRARY_PATH BOXSCORE_LIBPFM

bad=0
# expect WHAT COMMAND…: standard output is compared with standard input
expect() {
    what=$1
    shift
    cat >"$work/want"
    "$@" >"$work/got" 2>"$work/error" || { cat "$work/error" && bad=1; }
    diff -u "$work/want" "$work/got" || { bad=1 && echo "$what differs"; }
}

check() {
    LIBPFM_ENCODE_INACTIVE=1 "$work/check_events" "$@" | grep -E '^(Requested|Actual|Codes)'
}
expect check_events check ivbep_unc_cbo0::UNC_C_TOR_INSERTS:NID_OPCODE:OPC_RFO:nf=1 p6::L2_LD:M:E <<'END'
Requested Event: ivbep_unc_cbo0::UNC_C_TOR_INSERTS:NID_OPCODE:OPC_RFO:nf=1
Actual    Event: ivbep_unc_cbo0::UNC_C_TOR_INSERTS:NID_OPCODE:OPC_RFO:e=0:t=0:tf=0:cf=0:nf=1:isoc=0:nc=0
Codes          : 0x4135 0x0 0x18000001
Requested Event: p6::L2_LD:M:E
Actual    Event: p6::L2_LD:E:M:k=1:u=1:e=0:i=0:c=0
Codes          : 0x530c29
END

forced() {
    LIBPFM_FORCE_PMU=p6 "$work/check_events" "$@" | grep -E '^(Actual|Codes)'
}
expect "check_events, forced" forced CPU_CLK_UNHALTED:u <<'END'
Actual    Event: p6::CPU_CLK_UNHALTED:k=0:u=1:e=0:i=0:c=0
Codes          : 0x510079
END

encodings() {
    "$work/showevtinfo" -E -x ' ' "$@" | sed 's/ *$//'
}
expect "showevtinfo -E" encodings ivbep_unc_cbo14::UNC_C_RING_IV_USED <<'END'
0xf1e   ivbep_unc_cbo14::UNC_C_RING_IV_USED:ANY
0x331e   ivbep_unc_cbo14::UNC_C_RING_IV_USED:UP
0xcc1e   ivbep_unc_cbo14::UNC_C_RING_IV_USED:DOWN
END

# All events, 80 + 102 + 68 + 78 + 15 * 21 + 8 * 45, 93 + 79 + 84 of cores, 82 of `perf` and 1 of
# `perf_raw`; those of one PMU by code.
count() {
    "$work/showevtinfo" "$@" | grep -c '^Name'
}
expect "showevtinfo" count '.*::.*' <<'END'
1342
END
expect "showevtinfo -s" count -s 'ivbep_unc_cbo0::.*' <<'END'
21
END
exit $bad
