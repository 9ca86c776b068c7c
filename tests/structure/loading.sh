#!/bin/sh
# What is relocated or looked up when the shared library is loaded, every process that is linked to it
# pays for: nothing is. Left are the slots of libc's functions, each looked up when it is called first.
# A table that holds pointers would show here; so would a use of a variable of libc.
# usage: loading.sh LIBRARY
set -eu
library=$1

slots=$(readelf -rW "$library" | grep -c 'R_[A-Z0-9_]*JUMP_SLO' || :)
if [ "$slots" = 0 ]; then
    echo "no slots at all: is '$library' the shared library?"
    exit 1
fi

# Names beside the addresses tell which table it is.
found=$(readelf -rW "$library" | grep ' R_' | grep -v JUMP_SLO || :)
if [ -n "$found" ]; then
    echo "relocated when the library is loaded (the names: nm -n):"
    echo "$found"
    exit 1
fi

if readelf -dW "$library" | grep -E '\((INIT|INIT_ARRAY|FINI|FINI_ARRAY)\)'; then
    echo "code runs when the library is loaded"
    exit 1
fi
