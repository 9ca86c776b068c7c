#!/bin/sh
# Compares `boxscore encode --libpfm` with Debian's libpfm4:i386, because libpfm4 has the P6 family on
# 32-bit x86 only. LIBPFM_I386 names the library's folder if it is not Debian's.
# usage: libpfm_p6.sh CC TESTS BOXSCORE
set -eu
cc=$1 tests=$2 boxscore=$3
folder=${LIBPFM_I386:-/usr/lib/i386-linux-gnu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! [ -e "$folder/libpfm.so.4" ]; then
    echo "skipped: no $folder/libpfm.so.4 (libpfm4:i386): nothing to compare with"
    exit 77
fi
if ! printf '#include <perfmon/pfmlib.h>\nint main(void){return 0;}' |
    "$cc" -m32 -x c -o "$work/try" - 2>/dev/null || ! "$work/try"; then
    echo "skipped: no 32-bit programs can be built and run with libpfm4's header: nothing to compare with"
    exit 77
fi
"$cc" -m32 -o "$work/ask" "$tests/libpfm_p6.c" "$folder/libpfm.so.4"
LD_LIBRARY_PATH=$folder "$work/ask" >"$work/theirs"
cut -d'|' -f1 "$work/theirs" | "$boxscore" encode --libpfm - | sed 's/^error: .*/error/' >"$work/words"
cut -d'|' -f1 "$work/theirs" | paste -d'|' - "$work/words" >"$work/ours"
diff "$work/theirs" "$work/ours" >"$work/diff" || head -40 "$work/diff"
echo "$(wc -l <"$work/theirs") strings, of which libpfm4 encodes $(grep -vc '|error' "$work/theirs")"
[ ! -s "$work/diff" ] && [ "$(grep -vc '|error' "$work/theirs")" -gt 30000 ]
