#!/bin/sh
# The PMU `perf` without an installed libpfm4: our library must print what libpfm4 prints.
# usage: generic.sh CC TESTS LIBRARY
set -eu
cc=$1 tests=$2 library=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! "$cc" -o "$work/generic" "$tests/generic.c" -lpfm 2>"$work/error"; then
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
    if env -u LD_LIBRARY_PATH "$@" >"$file"; then
        echo 0 >>"$file"
    else
        echo "$?" >>"$file"
    fi
}
folder=$(dirname "$library")
for variable in NONE= LIBPFM_ENCODE_INACTIVE=1 LIBPFM_FORCE_PMU=perf; do
    status "$work/theirs" "$variable" "$work/generic"
    status "$work/ours" "$variable" BOXSCORE_LIBPFM= LD_LIBRARY_PATH="$folder" "$work/generic"
    diff -u "$work/theirs" "$work/ours" | head -100 >"$work/diff"
    cat "$work/diff"
    [ ! -s "$work/diff" ] || exit 1
    lines=$(wc -l <"$work/ours")
    echo "$variable: $lines lines"
done
[ "$lines" -gt 50000 ]
