#!/bin/sh
# Checks that libpfm.so.4 has libpfm4's SONAME and exports only its functions.
# usage: exports.sh CC TESTS LIBRARY
set -eu
library=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

symbols() {
    nm -D --defined-only "$1" | awk '{ print $3 }' | LC_ALL=C sort
}

cat >"$work/want" <<'END'
pfm_find_event
pfm_get_event_attr_info
pfm_get_event_encoding
pfm_get_event_info
pfm_get_event_next
pfm_get_os_event_encoding
pfm_get_perf_event_encoding
pfm_get_pmu_info
pfm_get_version
pfm_initialize
pfm_pmu_validate
pfm_strerror
pfm_terminate
END
symbols "$library" >"$work/got"
diff -u "$work/want" "$work/got"
symbols "$(dirname "$library")/libboxscore-pfm.so" >"$work/got"
diff -u "$work/want" "$work/got"
readelf -d "$library" | grep -q 'SONAME.*\[libpfm\.so\.4\]'

theirs=$("$1" -print-file-name=libpfm.so.4)
if [ -e "$theirs" ]; then
    symbols "$theirs" >"$work/got"
    diff -u "$work/got" "$work/want"
else
    echo "no libpfm4 here to compare the names with"
fi
