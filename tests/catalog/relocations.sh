#!/bin/sh
# The built-in catalogue is read-only data without a single relocation, shared by all processes.
# usage: relocations.sh BUILD_ROOT
set -eu
archive=$1/src/libbx_compile.a

readelf -rW "$archive" | awk '
/^File:/ { ours = /generated.*catalog\.c\.o/ }
ours && /There are no relocations/ { fine = 1 }
END { if (!fine) print "the built-in catalogue has relocations"; exit !fine }'

readelf -SsW "$archive" | awk '
/^File:/ { ours = /generated.*catalog\.c\.o/ }
ours && /\.rodata / { sub(/^ *\[ */, ""); rodata = $1 + 0 }
ours && / bx_builtin_words$/ { fine = rodata && $7 == rodata }
END { if (!fine) print "the built-in catalogue is not in .rodata"; exit !fine }'
