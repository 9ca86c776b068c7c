#!/bin/sh
# The texts about boxscore-helper are correct: its page has its options. Its systemd unit has the
# capabilities that it needs at first, and allows the calls that give up rights.
# usage: helper.sh SOURCE_ROOT BUILD_ROOT HELPER
set -eu
source=$1 build=$2 helper=$3
bad=0
options=$("$helper" --help | grep -oE -- '--[a-z]+' | sort -u)
page=$(grep -E '^\.(B|BI) \\-\\-' "$build/helper/boxscore-helper.8" | grep -oE -- '-\\-[a-z]+' | sed 's/-\\-/--/' | sort -u)
[ "$options" = "$page" ] || {
    echo "options: $options"
    echo "page: $page"
    bad=1
}
unit=$build/helper/boxscore-helper.service
begins=$(sed -n '/^int bx_rights_begin/,/^}/p' "$source/helper/rights.c" | grep -oE 'bit\(CAP_[A-Z_]+' | sed 's/bit(//' | sort)
allows=$(sed -n 's/^CapabilityBoundingSet=//p' "$unit" | tr ' ' '\n' | sort)
[ "$begins" = "$allows" ] || {
    echo "it begins with: $begins"
    echo "the unit allows: $allows"
    bad=1
}
# Calls that give up rights; systemd's @system-service does not include them.
filter=$(sed -n 's/^SystemCallFilter=//p' "$unit" | tr ' ' '\n' | sort)
for call in $(grep -ohE 'SYS_(seccomp|landlock_[a-z_]+)' "$source"/helper/*.c | sed 's/SYS_//' | sort -u); do
    echo "$filter" | grep -qx -- "$call" || {
        echo "the unit refuses $call"
        bad=1
    }
done
for option in $(sed -n 's/^ExecStart=//p' "$unit" | grep -oE -- '--[a-z]+'); do
    echo "$options" | grep -qx -- "$option" || {
        echo "the unit gives $option"
        bad=1
    }
done
[ -n "$options" ] && [ -n "$begins" ] && [ "$bad" = 0 ]
