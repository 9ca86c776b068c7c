#!/bin/sh
# Events of cores whose name libpfm4 and the catalogue have: those that differ must be those that
# docs/reference/libpfm.md lists, with its selections.
# usage: core.sh CC TESTS LIBRARY COMMAND ARCHIVE
set -eu
cc=$1 tests=$2 archive=$5
root=$tests/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! "$cc" -I"$root/include" -o "$work/core" "$tests/core.c" "$archive" -lpfm -lm -ldl 2>"$work/error"; then
    if echo '#include <perfmon/pfmlib.h>' | "$cc" -E - >/dev/null 2>&1; then
        cat "$work/error"
        exit 1
    fi
    echo "skipped: no <perfmon/pfmlib.h> (libpfm4-dev): nothing to compare with"
    exit 77
fi
env -u LD_LIBRARY_PATH LIBPFM_ENCODE_INACTIVE=1 "$work/core" >"$work/found"
sed -n 's/^| `\([a-z_]*::[A-Z_0-9:]*\)` | `\(0x[0-9a-f]*\)` | `\(0x[0-9a-f]*\)` |.*/\1 \2 \3/p' \
    "$root/docs/reference/libpfm.md" >"$work/listed"
grep :: "$work/found" | diff -u "$work/listed" -
tail -n 1 "$work/found"
[ "$(sed -n 's/ equal.*//p' "$work/found")" -ge 681 ] # none may be lost
