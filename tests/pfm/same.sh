#!/bin/sh
# Builds one program with libpfm4's header and runs it with libpfm4 and with our library. Both must
# print the same.
# usage: same.sh CC TESTS LIBRARY
set -eu
cc=$1 tests=$2 library=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! "$cc" -o "$work/same" "$tests/same.c" -lpfm 2>"$work/error"; then
    if echo '#include <perfmon/pfmlib.h>' | "$cc" -E - >/dev/null 2>&1; then
        cat "$work/error"
        exit 1
    fi
    echo "skipped: no <perfmon/pfmlib.h> (libpfm4-dev): nothing to compare with"
    exit 77
fi
LIBPFM_ENCODE_INACTIVE=1
export LIBPFM_ENCODE_INACTIVE
"$work/same" >"$work/theirs"
LD_LIBRARY_PATH=$(dirname "$library") "$work/same" >"$work/ours"
diff -u "$work/theirs" "$work/ours" | head -100 >"$work/diff"
cat "$work/diff"
echo "$(wc -l <"$work/theirs") lines"
[ ! -s "$work/diff" ] && [ "$(wc -l <"$work/theirs")" -gt 10000 ]
