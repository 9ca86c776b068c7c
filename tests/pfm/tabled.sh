#!/bin/sh
# The PMUs that our library has as tables, without an installed libpfm4: it must print what libpfm4
# prints.
# usage: tabled.sh CC TESTS LIBRARY
set -eu
cc=$1 tests=$2 library=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! "$cc" -o "$work/tabled" "$tests/tabled.c" -lpfm 2>"$work/error"; then
    if echo '#include <perfmon/pfmlib.h>' | "$cc" -E - >/dev/null 2>&1; then
        cat "$work/error"
        exit 1
    fi
    echo "skipped: no <perfmon/pfmlib.h> (libpfm4-dev): nothing to compare with"
    exit 77
fi
# Prints what the program prints, and its exit status.
status() { # FILE PROGRAM...
    file=$1
    shift
    if env -u LD_LIBRARY_PATH -u LIBPFM_ENCODE_INACTIVE "$@" >"$file"; then
        echo 0 >>"$file"
    else
        echo "$?" >>"$file"
    fi
}
folder=$(dirname "$library")
# With a forced PMU, libpfm4 describes no other one of the kernel.
for variable in NONE= "LIBPFM_FORCE_PMU=perf 1" LIBPFM_ENCODE_INACTIVE=1; do
    # shellcheck disable=SC2086
    set -- $variable
    status "$work/theirs" "$1" "$work/tabled" ${2:-}
    # shellcheck disable=SC2086
    status "$work/ours" "$1" BOXSCORE_LIBPFM= LD_LIBRARY_PATH="$folder" "$work/tabled" ${2:-}
    diff -u "$work/theirs" "$work/ours" | head -100 >"$work/diff"
    cat "$work/diff"
    [ ! -s "$work/diff" ] || exit 1
    lines=$(wc -l <"$work/ours")
    echo "$variable: $lines lines"
done
[ "$lines" -gt 200000 ]
