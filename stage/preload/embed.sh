#!/bin/sh
# A file as a C array. usage: embed.sh FILE NAME
set -eu
echo "#include <stddef.h>"
echo "extern const unsigned char $2[];"
echo "extern const size_t $2_size;"
echo "const unsigned char $2[] = {"
od -An -v -tu1 "$1" | sed 's/  */,/g; s/^,//; s/$/,/'
echo "};"
echo "const size_t $2_size = sizeof $2;"
