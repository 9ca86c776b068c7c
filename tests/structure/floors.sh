#!/bin/sh
# Every #include goes to the file's own folder or to a lower floor of the table in ARCHITECTURE.md.
# usage: floors.sh SOURCE_ROOT
set -eu
cd "$1"

awk '
FILENAME == "ARCHITECTURE.md" {
    if (split($0, cell, "|") < 4 || cell[2] !~ /^ *[0-9]+ *$/)
        next
    n = split(cell[3], word, "`")
    for (i = 2; i <= n; i += 2) {
        sub(/^src\//, "", word[i])
        sub(/\/$/, "", word[i])
        floor[word[i]] = cell[2] + 0
    }
    next
}
FNR == 1 {
    own = FILENAME
    sub(/^src\//, "", own)
    sub(/\/.*/, "", own)
    files++
    if (!(own in floor)) {
        print FILENAME ": " own "/ stands on no floor of ARCHITECTURE.md"
        bad++
    }
}
/^#include "/ {
    split($0, part, "\"")
    if (part[2] !~ /\//)
        next
    other = part[2]
    sub(/\/.*/, "", other)
    if (other != own && !(floor[other] < floor[own])) {
        print FILENAME ":" FNR ": floor " floor[own] " includes " part[2] " of floor " floor[other]
        bad++
    }
}
END {
    if (!files) {
        print "no file was looked at"
        bad++
    }
    print (files - 0) " files looked at"
    exit bad > 0
}' ARCHITECTURE.md $(find src cli pfm stage helper -name '*.[ch]' | sort)
