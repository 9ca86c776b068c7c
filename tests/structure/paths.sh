#!/bin/sh
# Every file or folder of this tree that a page names exists.
# usage: paths.sh SOURCE_ROOT
set -eu
cd "$1"
bad=0 n=0
for page in *.md docs/*/*.md catalog/*.md; do
    folder=.
    case $page in */*) folder=${page%/*} ;; esac
    for path in $(grep -oE '`(src|cli|stage|helper|tracer|catalog|docs|tests|bench|tools|include)/[A-Za-z0-9_./-]*`' "$page" | tr -d '`' | sort -u); do
        n=$((n + 1))
        case $path in catalog/icl/) continue ;; esac # an example of a file that a reader creates
        [ -e "$path" ] || {
            echo "$page names $path"
            bad=1
        }
    done
    for link in $(grep -oE '\]\([A-Za-z0-9_./-]+\)' "$page" | sed 's/^](//; s/)$//' | sort -u); do
        n=$((n + 1))
        [ -e "$folder/$link" ] || {
            echo "$page links to $link"
            bad=1
        }
    done
done
echo "$n paths"
[ "$n" -gt 0 ] && [ "$bad" = 0 ]
