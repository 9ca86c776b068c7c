#!/bin/sh
# Builds with gcc and with gcc and sanitizers; clang checks all files. quick: each test on one of the two builds,
# those of parts of the code with sanitizers, those of the command on what users get. long: all tests on both, and
# without sanitizers more of everything, also the Linux guests and the packages; then the fuzz targets with
# libFuzzer.
# The last line is `N passed, N failed`. usage: tools/test.sh quick|long
set -u
cd "$(dirname "$0")/.."
which=${1:-quick}

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
# Sanitizer and clang builds need no optimized code: compiling takes a third of the time.
configure_sanitized() { # folder, then meson options
    configure "$@" -Dtests=enabled -Dbuildtype=plain -Doptimization=1 -Dc_args=-g1 \
        -Db_sanitize=address,undefined -Db_lundef=false -Db_ndebug=false
}
build_sanitized() { configure_sanitized build-sanitize && ninja -C build-sanitize; }
# The fuzz targets with libFuzzer, a minute each.
build_fuzz() (
    export CC=clang
    configure_sanitized build-fuzz -Dlibfuzzer=true && ninja -C build-fuzz fuzz
)
step 'build with gcc, ASan and UBSan' build_sanitized
step "clang's warnings" python3 tools/clang_check.py build

run() { # folder, then meson options
    folder=$1
    shift
    meson test -C "$folder" --no-rebuild --num-processes 4 --print-errorlogs --quiet "$@"
}
# A test's limit is there to end what hangs: it must be long enough for a slow machine.
quick() {
    run build --suite programs --timeout-multiplier 4
    run build-sanitize --suite parts --timeout-multiplier 4
}
# The sanitizers see what the quick suite does. More of the same inputs would take hours and find little;
# the fuzz targets, which search for new ones, have sanitizers, too.
long() {
    # A copy of intel/perfmon beside the tree; without one its test is skipped.
    perfmon=$PWD/../shared/data/perfmon
    [ ! -d "$perfmon" ] || export BX_PERFMON="$perfmon"
    (export BX_LONG=1 && run build --timeout-multiplier 20)
    run build-sanitize --timeout-multiplier 20
    (export BX_LONG=1 && run build-fuzz --suite fuzz --timeout-multiplier 20)
    grep -ho 'fuzz_.*: [0-9]* inputs tried' build-fuzz/meson-logs/testlog.txt
}

folders='build build-sanitize'
if [ "$which" = long ]; then
    step 'build of the fuzz targets with clang and libFuzzer' build_fuzz
    folders="$folders build-fuzz"
fi
[ "$failed" != 0 ] || "$which"
# shellcheck disable=SC2086 # words
python3 tools/tally.py "$failed" $folders
