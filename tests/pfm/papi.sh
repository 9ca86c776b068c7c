#!/bin/sh
# Runs Debian's libpapi, which is linked with libpfm.so.4, with our library. PAPI in another folder is
# found through CPATH, LIBRARY_PATH and LD_LIBRARY_PATH. On stage PAPI's own tools run with it, too.
# usage: papi.sh CC TESTS LIBRARY BOXSCORE
set -eu
cc=$1 tests=$2 library=$3 boxscore=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! echo '#include <papi.h>' | "$cc" -E - >/dev/null 2>&1; then
    echo "skipped: no <papi.h> (libpapi-dev): PAPI is not run"
    exit 77
fi
"$cc" -o "$work/papi" "$tests/papi.c" -lpapi
LD_LIBRARY_PATH=$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
LIBPFM_FORCE_PMU=p6 "$work/papi" BUS_DRDY_CLOCKS
LIBPFM_FORCE_PMU=ivbep_unc_cbo0 "$work/papi" ivbep_unc_cbo0::UNC_C_LLC_LOOKUP

# On stage: PMUs of our library, and those of an installed libpfm4 and of perf.
m=virtual:ivbep,part=plain,packages=1,cores=2
if ! command -v papi_avail >/dev/null || ! "$boxscore" stage --machine $m --pace 0 -- true 2>/dev/null; then
    echo "skipped: no papi-tools, or no stage: PAPI's tools are not run"
    exit 0
fi
"$boxscore" stage --machine $m --pace 0 -- sh -c '
    papi_avail && papi_component_avail && papi_native_avail
    papi_command_line ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:ANY:cpu=0 perf::PAGE-FAULTS' >"$work/out" 2>&1
for text in 'Xeon E5 v2' 'PMUs supported: .*ivbep_unc_cbo0' ivbep_unc_cbo0::UNC_C_LLC_LOOKUP \
    'Successfully added: ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:ANY:cpu=0'; do
    grep -q "$text" "$work/out" || { cat "$work/out" && echo "PAPI does not print: $text" && exit 1; }
done
if [ -e "$(dirname "$(ldd "$work/papi" | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')")/libpfm.so.4" ]; then
    grep -q '^| perf::PAGE-FAULTS' "$work/out" || { cat "$work/out" && echo "PAPI lost perf::" && exit 1; }
fi
