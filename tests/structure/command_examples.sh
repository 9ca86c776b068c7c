#!/bin/sh
# Every command has examples in its --help, and on its page of the manual; they are run in their order in an
# empty folder and succeed without a message. usage: command_examples.sh COMMAND
set -eu
command=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/here"
ln -s "$command" "$work/bin/boxscore"
PATH=$work/bin:$PATH
export PATH
manual() {
    boxscore help --generate man "$1" | sed -n 's/^\\fB\$ \(.*\)\\fR$/\1/p' | sed 's/\\-/-/g; s/\\(aq/'"'"'/g'
}

# What may be told: a file that was written, and a journal that somebody else left on this host.
told="^boxscore: (wrote |journal '/run/boxscore/[^']*' is of the machine )"
ran=0 bad=0
for name in $(boxscore --help | sed -n '/^commands:/,/^options:/s/^  \([a-z]*\) .*/\1/p'); do
    boxscore help "$name" | sed -n 's/^  \$ //p' >"$work/lines"
    grep -q "boxscore $name " "$work/lines" || grep -qx "boxscore $name" "$work/lines" || {
        echo "$name: no example"
        bad=$((bad + 1))
    }
    manual "$name" >"$work/manual"
    while IFS= read -r line; do
        ran=$((ran + 1))
        grep -qxF "$line" "$work/manual" || {
            echo "not in the manual page: $line"
            bad=$((bad + 1))
        }
        status=0
        (cd "$work/here" && sh -c "$line" >"$work/out" 2>"$work/err" </dev/null) || status=$?
        if grep -q 'is no mount point' "$work/err"; then # in a chroot, where no command is put on stage
            echo "not run in a chroot: $line"
        elif [ "$status" != 0 ] || grep '^boxscore:' "$work/err" | grep -qvE "$told"; then
            echo "$line: exit status $status"
            cat "$work/err"
            bad=$((bad + 1))
        fi
    done <"$work/lines"
done
echo "$ran examples, $bad bad"
[ "$ran" -gt 0 ] && [ "$bad" = 0 ]
