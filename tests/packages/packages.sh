#!/bin/sh
# Builds the Debian packages, holds them to lintian, and installs, uses, upgrades, removes and purges
# them in a fresh Debian 12 (in_chroot.sh). usage: packages.sh SOURCE_ROOT BUILD_ROOT
set -eu
source=$1 build=$2 work=$2/packages
mirror=${BX_MIRROR:-http://deb.debian.org/debian}

skip() {
    echo "packages are not tested: $1"
    exit 77
}
[ -n "${BX_LONG:-}" ] || skip 'this takes minutes (BX_LONG=1 asks for it)'
[ "$(id -u)" = 0 ] || skip 'only root can make a chroot'
for program in dh dpkg-buildpackage lintian debootstrap; do
    command -v "$program" >/dev/null || skip "$program is missing (./setup deb)"
done
unshare --mount true 2>/dev/null || skip 'mounting is not permitted'
wget -q --tries=2 --timeout=20 -O /dev/null "$mirror/dists/bookworm/InRelease" ||
    skip "no mirror at $mirror (BX_MIRROR names another)"

state() { # of the source tree
    [ -e "$source/.git" ] || return 0
    git -C "$source" status --porcelain
}
before=$(state)
"$source/tools/deb.sh" "$work/old"
[ "$(state)" = "$before" ] || {
    echo 'building the packages changed the source tree'
    exit 1
}
lintian --allow-root --display-info --fail-on error,warning,info "$work"/old/*.changes

# The next version, built from the archive that `meson dist` makes, or from the copy without git.
rm -rf "$work/next" "$work/new"
mkdir "$work/next"
if [ -e "$source/.git" ]; then
    meson dist -C "$build" --no-tests --allow-dirty --formats gztar
    tar -x -f "$build"/meson-dist/boxscore-*.tar.gz -C "$work/next"
else
    cp -r "$work"/old/boxscore-*/ "$work/next"
    (cd "$work"/next/boxscore-* && debian/rules clean)
fi
cd "$work"/next/boxscore-*
version=$(dpkg-parsechangelog -S Version)
{
    printf 'boxscore (%s+next) UNRELEASED; urgency=medium\n\n  * Next.\n\n' "$version"
    sed -n '/^ -- /{p;q}' debian/changelog
    echo
    cat debian/changelog
} >next
mv next debian/changelog
tools/deb.sh "$work/new"

root=$work/root
rm -rf "$root"
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$mirror"
mkdir "$root/packages" "$root/packages/old" "$root/packages/new"
for which in old new; do
    find "$work/$which" -maxdepth 1 -name '*.deb' ! -name '*-dbgsym_*' -exec cp {} "$root/packages/$which" \;
done
cp "$source/tests/packages/in_chroot.sh" "$source/tests/packages/drop_in.c" "$root/packages"
# What is mounted in a mount namespace goes with it.
# shellcheck disable=SC2016 # expanded by that shell
unshare --mount --propagation private sh -euc '
    mount -t proc proc "$1/proc"
    mount -t sysfs -o ro sysfs "$1/sys"
    mount --rbind /dev "$1/dev"
    exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root \
        DEBIAN_FRONTEND=noninteractive sh /packages/in_chroot.sh "$2"' - "$root" "$version"
rm -rf "$work"
