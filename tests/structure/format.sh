#!/bin/sh
# All C is formatted as .clang-format says. usage: format.sh SOURCE_ROOT
set -eu
cd "$1"
find include src cli pfm stage helper tracer tests bench -name '*.[ch]' | xargs clang-format --dry-run -Werror
