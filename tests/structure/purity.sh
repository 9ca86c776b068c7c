#!/bin/sh
# The floors that ARCHITECTURE.md says make no system call need nothing of libc but memory, strings
# and formatting. usage: purity.sh BUILD_ROOT FLOOR…
set -eu
build=$1
shift

allowed='^(bx_.*|_GLOBAL_OFFSET_TABLE_|__(stack_chk_fail|asan_.*|ubsan_.*|sanitizer_.*|isoc99_.*)|__(mem|str|snprintf|vsnprintf)[a-z]*_chk|__popcount[sd]i2
|malloc|calloc|realloc|free|posix_memalign|qsort|bsearch|mem(cpy|move|set|cmp|chr)|str(n?len|n?cmp|r?chr|str|c?spn|pbrk|error_r)|v?snprintf|__errno_location
|sqrt|pow|floor|ceil|fabs|log|log2|isnan|isfinite|nan|strtod)$'
allowed=$(printf '%s' "$allowed" | tr -d '\n')

bad=0
for floor; do
    archive=$build/src/libbx_$floor.a
    [ -e "$archive" ] || {
        echo "$archive is missing"
        bad=1
        continue
    }
    found=$(nm -u "$archive" 2>/dev/null | awk 'NF == 2 && $1 == "U" { print $2 }' | sort -u | grep -Ev "$allowed" || :)
    if [ -n "$found" ]; then
        echo "src/$floor calls:" $found
        bad=1
    else
        echo "src/$floor is pure"
    fi
    # Nothing global that can change: no initialised or zeroed data but what is read-only once the
    # addresses in it are known (.data.rel.ro).
    data=$(nm -f sysv "$archive" 2>/dev/null | awk -F'|' '
        $3 ~ /[DdBbCc]/ && $7 !~ /\.data\.rel\.ro/ && $1 !~ /^__|asan|ubsan|\.L|^\./ { print $1 }' | sort -u)
    if [ -n "$data" ]; then
        echo "src/$floor has writable data:" $data
        bad=1
    fi
done
exit $bad
