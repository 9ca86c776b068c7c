#!/bin/sh
# Runs Debian's libpapi, which is linked with libpfm.so.4, with our library. PAPI in another folder is
# found through CPATH, LIBRARY_PATH and LD_LIBRARY_PATH. usage: papi.sh CC TESTS LIBRARY
set -eu
cc=$1 tests=$2 library=$3
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
