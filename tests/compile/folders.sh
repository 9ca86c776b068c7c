#!/bin/sh
# The catalogue's compiler refuses files and folders that it does not read. usage: folders.sh CATALOGC SOURCE_ROOT
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# fresh: makes a catalogue of one CPU
fresh() {
    rm -rf "$dir/catalog"
    mkdir -p "$dir/catalog"
    cp -r "$2/catalog/skl" "$2/catalog/NOTATION.md" "$dir/catalog"
}

# refused WHAT: fails unless the compiler refuses the folder with WHAT in its message
refused() {
    if "$catalogc" "$dir/catalog" "$dir/out.c" "$dir/out.d" 2>"$dir/message"; then
        echo "not refused: $1"
        exit 1
    fi
    grep -qF -- "$1" "$dir/message" || { echo "wanted: $1"; cat "$dir/message"; exit 1; }
    grep -q '^  hint: ' "$dir/message" || { echo "no hint: $1"; exit 1; }
}

catalogc=$1
fresh "$@"
"$catalogc" "$dir/catalog" "$dir/out.c" "$dir/out.d"
mv "$dir/catalog/skl/arb.pmu" "$dir/catalog"
refused "catalog/arb.pmu: this file is in no CPU's folder [place]"
fresh "$@"
mkdir "$dir/catalog/skl/more"
refused "catalog/skl/more: a folder in a CPU's folder [place]"
fresh "$@"
mkdir "$dir/catalog/empty"
refused "catalog/empty: a CPU's folder without a file [place]"
fresh "$@"
mv "$dir/catalog/skl/arb.pmu" "$dir/catalog/skl/arb.pmu~"
refused "arb.pmu~:1:1: a file of the catalogue ends in .cpu, .pmu or .metric, or is named passive [place]"
