#!/bin/sh
# Unpacks Debian's kernel, its uncore driver and its MSR driver into a folder, as vmlinuz,
# intel-uncore.ko and msr.ko. Nothing is installed.
# usage: unpack.sh FOLDER
set -eu
folder=$1
[ -e "$folder/vmlinuz" ] && [ -e "$folder/intel-uncore.ko" ] && [ -e "$folder/msr.ko" ] && exit 0

package=$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)$/\1/p' | head -n 1)
[ -n "$package" ] || {
    echo "setup: apt knows no linux-image-amd64; no kernel for the guests of the long suite" >&2
    exit 1
}
echo "setup: unpacking $package into $folder" >&2
mkdir -p "$folder/new"
trap 'rm -rf "$folder/new"' EXIT
(
    cd "$folder/new"
    apt-get download -q "$package" >&2
    dpkg --fsys-tarfile ./*.deb | tar -x --wildcards './boot/vmlinuz-*' '*/intel-uncore.ko' '*/msr.ko'
    find . -name '*.ko' -exec mv {} .. \;
    mv boot/vmlinuz-* ../vmlinuz
)
