#!/bin/sh
# Builds the Debian packages in a copy of the tree, so that the tree stays clean. They are then in
# FOLDER, beside the copy. usage: tools/deb.sh FOLDER
set -eu
cd "$(dirname "$0")/.."
folder=$1
for program in dh dh_python3 dpkg-buildpackage; do
    command -v "$program" >/dev/null || {
        echo "deb: $program is missing, which builds the packages" >&2
        echo "  try: ./setup deb" >&2
        exit 1
    }
done
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
copy=$folder/boxscore-$version
rm -rf "$folder"/boxscore-* "$folder"/boxscore_* "$folder"/libboxscore* "$folder"/python3-boxscore*
mkdir -p "$copy"
if [ -e .git ]; then # tracked files with their changes, and new files
    git ls-files -z --cached --others --exclude-standard
else
    find . -path './build*' -prune -o ! -type d -print0
fi | tar -c --null --ignore-failed-read --files-from=- | tar -x -C "$copy"
cd "$copy"
dpkg-buildpackage --build=binary --no-sign
cd - >/dev/null
ls "$folder"/*.deb
