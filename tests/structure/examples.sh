#!/bin/sh
# Runs every `$ boxscore …` line of the ```console blocks in the README and docs/, and compares its
# output (both streams) with the text below it. Lessons of docs/tutorial build programs and have
# their own runner, tests/tutorial/lessons.py.
# usage: examples.sh SOURCE_ROOT COMMAND
set -eu
root=$1 command=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/case"
ln -s "$command" "$work/bin/boxscore"
PATH=$work/bin:$PATH
export PATH

awk -v out="$work/case" '
FNR == 1 { inside = 0 }
/^```console$/ { inside = 1; next }
/^```$/ { inside = 0; next }
inside && /^\$ boxscore / {
    n++
    name = sprintf("%s/%03d", out, n)
    print substr($0, 3) > (name ".sh")
    print FILENAME ":" FNR > (name ".at")
    printf "" > (name ".want")
    next
}
inside && n { print > (name ".want") }
' "$root"/README.md $(find "$root/docs" -name "*.md" ! -path "*/docs/tutorial/*" | sort)

ran=0 bad=0
for script in "$work"/case/*.sh; do
    [ -e "$script" ] || break
    base=${script%.sh}
    ran=$((ran + 1))
    (cd "$root" && sh "$script" >"$base.got" 2>&1 </dev/null) || :
    if ! diff -u "$base.want" "$base.got" >"$base.diff"; then
        bad=$((bad + 1))
        cat "$base.at" "$base.diff"
    fi
done
echo "$ran examples, $bad differ"
[ "$ran" -gt 0 ] && [ "$bad" = 0 ]
