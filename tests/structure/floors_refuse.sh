#!/bin/sh
# floors.sh refuses what it is for: each line below is an #include that must not be, planted in a copy
# of the tree. usage: floors_refuse.sh SOURCE_ROOT
set -eu
root=$1
here=$root/tests/structure
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree"
(cd "$root" && tar -cf - ARCHITECTURE.md tests/structure/floors.txt src cli pfm stage helper tracer) | tar -xf - -C "$work/tree"

sh "$here/floors.sh" "$work/tree" >/dev/null || {
    echo "the tree itself is refused"
    exit 1
}

planted=0 bad=0
while read -r file header; do
    planted=$((planted + 1))
    cp "$work/tree/$file" "$work/kept"
    echo "#include \"$header\"" >>"$work/tree/$file"
    if sh "$here/floors.sh" "$work/tree" >"$work/said" || ! grep -q "^$file:.* $header " "$work/said"; then
        echo "taken: $file includes $header"
        cat "$work/said"
        bad=$((bad + 1))
    fi
    cp "$work/kept" "$work/tree/$file"
done <<END
src/base/str.c catalog/catalog.h
src/catalog/lookup.c compile/build/build.h
src/event/evsel.c event/parse/list.h
src/event/foreign/likwid_reader.c event/parse/list.h
src/schedule/fit.c event/build/builder.h
src/model/machine/client/core.c model/machine/ivbep/machine.h
src/model/machine/nhmex/cbox.c model/machine/p6/machine.h
src/model/engine/turns.c model/machine/client/machine.h
src/model/engine/turns.c model/model.h
src/model/engine/limits.c model/machine/nhmex/machine.h
src/machine/machine.c model/machine/client/boxes.h
src/vpmu/counter.c model/model.h
src/host/bus/msr.c guard/journal.h
src/host/bus/msr.c host/perf/kernel_pmus.h
src/host/system/file.c host/bus/registers.h
src/host/perf/terms.c host/host.h
src/machine/machine.c machine/dialogue/dialogue.h
src/report/report.c report/format/formats.h
stage/process/reaper.c stage/calls/calls.h
cli/show/selection.c cli/measure/stat.h
END
# A new folder must be given its floor.
mkdir "$work/tree/src/model/icl"
echo >"$work/tree/src/model/icl/machine.h"
if sh "$here/floors.sh" "$work/tree" >/dev/null; then
    echo "taken: a folder without a floor"
    bad=$((bad + 1))
fi
echo "$planted includes planted, $bad taken"
[ "$planted" -gt 0 ] && [ "$bad" = 0 ]
