#!/bin/sh
# Every #include goes to the file's own folder or to a lower floor of floors.txt, and ARCHITECTURE.md has
# each folder on its floor.
# usage: floors.sh SOURCE_ROOT
set -eu
cd "$1"

awk '
# The row of the table that a file belongs to: its own, or that of its folder.
function row_of(path) {
    if (path in floor)
        return path
    sub(/[^\/]*$/, "", path)
    return path
}
# "src/model/engine/" is a room of "src/model", "stage/perf/" one of "stage".
function house_of(row,    part) {
    split(row, part, "/")
    return part[1] == "src" ? part[1] "/" part[2] : part[1]
}
function is_below(other, own) {
    if (house_of(other) == house_of(own))
        return floor[other] < floor[own]
    return int(floor[other]) < int(floor[own]) && !(other in private)
}
FILENAME ~ /floors.txt$/ {
    if ($0 !~ /^[0-9]/)
        next
    floor[$2] = $1 + 0
    if ($3 == "private")
        private[$2]
    next
}
# A row of the page: | floor | `folder/` … |
FILENAME == "ARCHITECTURE.md" {
    if (split($0, cell, "|") < 4 || cell[2] !~ /^ *[0-9]+ *$/)
        next
    n = split(cell[3], word, "`")
    for (i = 2; i <= n; i += 2) {
        told++
        if (!(word[i] in floor) || int(floor[word[i]]) != cell[2] + 0) {
            print "ARCHITECTURE.md: " word[i] " is not on floor" cell[2] "in floors.txt"
            bad++
        }
    }
    next
}
FNR == 1 {
    own = row_of(FILENAME)
    files++
    if (!(own in floor)) {
        print FILENAME ": " own " stands on no floor of floors.txt"
        bad++
    }
}
/^#include "/ {
    split($0, part, "\"")
    if (part[2] !~ /\//)
        next
    path = part[2] ~ /^(stage|helper|pfm|cli|tracer)\// ? part[2] : "src/" part[2]
    other = row_of(path)
    if (!(other in floor)) {
        print FILENAME ":" FNR ": " part[2] " stands on no floor of floors.txt"
        bad++
    } else if (other != own && !is_below(other, own)) {
        print FILENAME ":" FNR ": floor " floor[own] " includes " part[2] " of " \
            (other in private ? "the private " : "") "floor " floor[other]
        bad++
    }
}
END {
    if (!files || !told) {
        print "no file was looked at, or no folder of ARCHITECTURE.md"
        bad++
    }
    print (files - 0) " files looked at"
    exit bad > 0
}' tests/structure/floors.txt ARCHITECTURE.md $(find src cli pfm stage helper tracer -name '*.[ch]' | sort)
