#!/bin/sh
# Loading the library runs none of its code, and the library has no state: there are no constructors
# and no writable data. Tables of addresses are allowed, because they are read-only after loading.
# usage: startup.sh BUILD_ROOT FLOOR…
set -eu
build=$1
shift

bad=0
for floor; do
    archive=$build/src/libbx_$floor.a
    [ -e "$archive" ] || {
        echo "$archive is missing"
        bad=1
        continue
    }
    if readelf -SW "$archive" | grep -E '\.(init_array|fini_array|ctors|dtors)'; then
        echo "src/$floor has code that runs when the library is loaded"
        bad=1
    fi
    data=$(nm -f sysv "$archive" 2>/dev/null | awk -F'|' '
        $3 ~ /[DdBbCc]/ && $7 !~ /\.data\.rel\.ro/ && $1 !~ /^\.L|^\./ { print $1 }' | sort -u)
    if [ -n "$data" ]; then
        echo "src/$floor has writable data:" $data
        bad=1
    fi
done
exit $bad
