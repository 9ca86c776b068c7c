#!/bin/sh
# The helper's executable is position independent, its tables are read-only once it is loaded, and
# its stack is guarded and not executable. If it was optimized, calls of the C library are checked.
# usage: hardening.sh EXECUTABLE fortified|plain
set -eu
program=$1
fortified=$2
header=$(readelf -hW "$program")
segments=$(readelf -lW "$program")
dynamic=$(readelf -dW "$program")
calls=$(readelf --dyn-syms -W "$program")

bad=0
has() { # TEXT PATTERN WHAT
    echo "$1" | grep -qE "$2" || {
        echo "$program has no $3"
        bad=1
    }
}
has "$header" 'Type: +DYN' 'position-independent code'
has "$segments" '^ +GNU_RELRO ' 'read-only relocations'
has "$segments" '^ +GNU_STACK .* RW +0x' 'stack that is not executable'
has "$dynamic" 'FLAGS.*BIND_NOW|\(BIND_NOW\)|Flags:.* NOW' 'immediate binding'
has "$calls" '__stack_chk_fail' 'stack protector'
[ "$fortified" = plain ] || has "$calls" ' __[a-z]+_chk(@|$)' 'fortified call'
exit $bad
