#!/bin/sh
# Runs every `$ boxscore …` line of the ```console blocks in the README and docs/ and compares what it
# prints (both streams) with what stands below it. Lessons of docs/tutorial build programs and have a
# runner of their own, tests/tutorial/lessons.py. usage: examples.sh SOURCE_ROOT COMMAND
#
# What tests of other things own is compared in README.md only: the words in front of a measurement's heading, and
# how wide columns are. Then all headings of documents must have the words of README.md's.
set -eu
root=$1 command=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/case"
ln -s "$command" "$work/bin/boxscore"
# Examples that write files write them here, not into the tree.
mkdir "$work/place"
ln -s "$root"/* "$work/place"
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
heading='^ *\([A-Z][A-Za-z ]*\) for \(.* on \(virtual\|host\).*:\)$'
words=$(cat "$root"/README.md $(find "$root/docs" -name '*.md') | sed -n "s/$heading/\\1/p" | sort -u)
[ "$(printf '%s\n' "$words" | wc -l)" = 1 ] || {
    bad=1
    printf 'headings of measurements have different words:\n%s\n' "$words"
}
for script in "$work"/case/*.sh; do
    [ -e "$script" ] || break
    base=${script%.sh}
    ran=$((ran + 1))
    (cd "$work/place" && sh "$script" >"$base.got" 2>&1 </dev/null) || :
    case $(cat "$base.at") in
    */README.md:*) ;;
    *)
        for text in "$base.want" "$base.got"; do
            sed "s/$heading/\\2/; s/  */ /g" "$text" >"$text.own" && mv "$text.own" "$text"
        done
        ;;
    esac
    if ! diff -u "$base.want" "$base.got" >"$base.diff"; then
        bad=$((bad + 1))
        cat "$base.at" "$base.diff"
    fi
done
echo "$ran examples, $bad differ"
[ "$ran" -gt 0 ] && [ "$bad" = 0 ]
