#!/bin/sh
# Builds with gcc, with gcc and sanitizers, and with clang; runs the suite on the first two. long:
# more of everything, and the fuzz targets with libFuzzer. The last line is `N passed, N failed`. usage: tools/test.sh quick|long
set -u
cd "$(dirname "$0")/.."
which=${1:-quick}
suites='--no-suite kernel' # guests take minutes
if [ "$which" = long ]; then
    export BX_LONG=1 suites='--timeout-multiplier 20'
    # A copy of intel/perfmon beside the tree; without one its test is skipped.
    perfmon=$PWD/../shared/data/perfmon
    [ -d "$perfmon" ] && export BX_PERFMON="$perfmon"
fi

configure() { # folder, then meson options
    folder=$1
    shift
    if [ -e "$folder/build.ninja" ]; then
        meson configure "$folder" "$@" >/dev/null
    else
        meson setup "$folder" "$@" >/dev/null
    fi
}

failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
step() { # name, command…
    name=$1
    shift
    if "$@" >"$log" 2>&1; then
        echo "ok      $name"
    else
        cat "$log"
        echo "FAILED  $name"
        failed=$((failed + 1))
    fi
}

build() { # folder, then meson options
    configure "$@" && ninja -C "$1"
}

step 'build with gcc' build build -Dtests=enabled
# Sanitizer and clang builds need no optimized code, which compiles in a third of the time.
step 'build with gcc, ASan and UBSan' build build-sanitize -Dtests=enabled -Dbuildtype=plain \
    -Doptimization=1 -Dc_args=-g1 -Db_sanitize=address,undefined -Db_lundef=false -Db_ndebug=false
step 'build with clang' env CC=clang sh -c '
    [ -e build-clang/build.ninja ] || meson setup build-clang -Dtests=enabled -Dbuildtype=plain >/dev/null
    ninja -C build-clang'

# The fuzz targets with libFuzzer, a minute each.
build_fuzz() (
    export CC=clang
    configure build-fuzz -Dtests=enabled -Dbuildtype=plain -Doptimization=1 -Dc_args=-g1 \
        -Db_sanitize=address,undefined -Db_lundef=false -Db_ndebug=false -Dlibfuzzer=true &&
        ninja -C build-fuzz fuzz
)
folders='build build-sanitize'
if [ "$which" = long ]; then
    step 'build of the fuzz targets with clang and libFuzzer' build_fuzz
    folders="$folders build-fuzz"
fi

if [ "$failed" = 0 ]; then
    for folder in $folders; do
        suite=$suites
        [ "$folder" != build-fuzz ] || suite='--suite fuzz'
        # shellcheck disable=SC2086 # words, or none
        meson test -C "$folder" --no-rebuild --num-processes 4 --print-errorlogs --quiet $suite
    done
    [ "$which" != long ] || grep -ho 'fuzz_.*: [0-9]* inputs tried' build-fuzz/meson-logs/testlog.txt
fi
# shellcheck disable=SC2086 # words
python3 tools/tally.py "$failed" $folders
