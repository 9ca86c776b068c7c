#!/bin/sh
# The floors that ARCHITECTURE.md says make no system call need nothing of libc but memory, strings
# and formatting. usage: purity.sh BUILD_ROOT FLOOR…
set -eu
build=$1
shift

allowed='^(bx_.*|ZSTD_[A-Za-z0-9_]*|_GLOBAL_OFFSET_TABLE_|__(stack_chk_fail|asan_.*|ubsan_.*|sanitizer_.*|isoc99_.*)|__(mem|str|snprintf|vsnprintf)[a-z]*_chk|__popcount[sd]i2
|malloc|calloc|realloc|free|posix_memalign|qsort(_r)?|bsearch|mem(cpy|move|set|cmp|r?chr)|str(n?len|n?cmp|r?chr|str|c?spn|pbrk|error_r)|v?snprintf|__errno_location
|sqrt|pow|exp|lgamma_r|floor|ceil|fabs|log|log2|isnan|isfinite|nan|strtod)$'
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
done
exit $bad
