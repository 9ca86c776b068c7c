#!/bin/sh
# `meson install` installs the manual, completion, and all documents, whose links lead to installed
# files.
# usage: installed.sh SOURCE_ROOT BUILD_ROOT
set -eu
source=$1 build=$2
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
DESTDIR=$to meson install -C "$build" --no-rebuild --quiet >"$to/log" 2>&1 || {
    cat "$to/log"
    exit 1
}
bad=0
miss() {
    echo "$1"
    bad=$((bad + 1))
}
one() {
    found=$(find "$to" -path "*/$1")
    [ -n "$found" ] && [ -s "$found" ] || miss "not installed: $1"
}
one bin/boxscore
one sbin/boxscore-helper
one bash-completion/completions/boxscore
one zsh/site-functions/_boxscore
for page in man1/boxscore.1 man1/boxscore-stat.1 man7/boxscore-workloads.7 man7/boxscore-skl.7 \
    man7/boxscore-skl-cbo.7 man7/boxscore-skl-metrics.7 man7/boxscore-p6-core.7; do
    one "man/$page"
done

documents=$(find "$to" -path '*/share/doc/boxscore' -type d)
[ -n "$documents" ] || miss 'no documents are installed'
for path in README.md ARCHITECTURE.md CONTRIBUTING.md GLOSSARY.md LICENSE NEWS catalog/NOTATION.md \
    tracer/README.md include/boxscore/boxscore.h $(cd "$source" && find docs -type f); do
    cmp -s "$source/$path" "$documents/$path" || miss "not installed as it is: $path"
done
links=0
for page in $(cd "$documents" && find . -name '*.md'); do
    for link in $(grep -oE '\]\([^)#]+' "$documents/$page" | sed 's/^](//' | grep -v '^http'); do
        links=$((links + 1))
        [ -e "$documents/$(dirname "$page")/$link" ] || miss "$page: no $link"
    done
done
echo "$links links, $bad bad"
[ "$links" -gt 0 ] && [ "$bad" = 0 ]
