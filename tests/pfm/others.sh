#!/bin/sh
# PMUs that our library does not have: an installed libpfm4 answers, and both must print the same.
# Without it the library answers from its tables (tabled.sh).
# usage: others.sh CC TESTS LIBRARY
set -eu
cc=$1 tests=$2 library=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! "$cc" -o "$work/others" "$tests/others.c" -lpfm 2>"$work/error"; then
    if echo '#include <perfmon/pfmlib.h>' | "$cc" -E - >/dev/null 2>&1; then
        cat "$work/error"
        exit 1
    fi
    echo "skipped: no <perfmon/pfmlib.h> (libpfm4-dev): nothing to compare with"
    exit 77
fi
LIBPFM_ENCODE_INACTIVE=1
export LIBPFM_ENCODE_INACTIVE
"$work/others" >"$work/theirs"
LD_LIBRARY_PATH=$(dirname "$library")
export LD_LIBRARY_PATH
"$work/others" >"$work/ours"
diff -u "$work/theirs" "$work/ours" | head -100 >"$work/diff"
cat "$work/diff"
echo "$(wc -l <"$work/theirs") lines"
[ ! -s "$work/diff" ] && [ "$(wc -l <"$work/theirs")" -gt 1000 ]
for none in "" "$work/no-such-file" "$library"; do # the last one is our library itself
    BOXSCORE_LIBPFM=$none "$work/others" >"$work/alone"
    for event in cycles skl::INST_RETIRED:ANY_P:u; do
        grep "^$event find" "$work/theirs" >"$work/want"
        grep "^$event find" "$work/alone" | cmp - "$work/want"
    done
done
