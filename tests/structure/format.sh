#!/bin/sh
# All C files are formatted by .clang-format.
# usage: format.sh SOURCE_ROOT
set -eu
cd "$1"
find include src cli pfm stage helper tracer tests bench -name '*.[ch]' | xargs clang-format --dry-run -Werror
