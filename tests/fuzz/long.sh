#!/bin/sh
# Runs a libFuzzer target for a while, starting from its corpus. Inputs that it finds are not kept.
# usage: long.sh TARGET CORPUS DICTIONARY; BX_SECONDS (60) and BX_SEED in the environment
set -eu
target=$1 corpus=$2 words=$3
name=$(basename "$target")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
mkdir "$folder/corpus"
python3 "$(dirname "$0")/corpus.py" unpack "$corpus" "$folder/corpus"
seed=${BX_SEED:-$(date +%s)}
echo "$name: BX_SEED=$seed"

set -- -seed="$seed" -max_total_time="${BX_SECONDS:-60}" -artifact_prefix="$PWD/crash-$name-" \
    -print_final_stats=1 -timeout=30 -max_len=65536 -len_control=20
[ -f "$words" ] && set -- "$@" -dict="$words"
if ! TMPDIR=$folder "$target" "$@" "$folder/corpus" >"$folder/said" 2>&1; then
    tail -n 60 "$folder/said"
    exit 1
fi
sed -n 's/^stat::number_of_executed_units: *\([0-9]*\)/'"$name"': \1 inputs tried/p' "$folder/said"
grep -o 'DONE.*cov: [0-9]* ft: [0-9]*' "$folder/said" | tail -n 1
