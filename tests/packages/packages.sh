#!/bin/sh
# Builds the Debian packages, and checks them with lintian. Then it builds a higher version with
# only the build dependencies that they name (build.sh). Finally it installs, uses, upgrades,
# removes and purges them (use.sh). Each of the last two steps runs in a fresh Debian 12.
# usage: packages.sh SOURCE_ROOT BUILD_ROOT
set -eu
source=$1 build=$2 work=$2/packages
mirror=${BX_MIRROR:-http://deb.debian.org/debian}

skip() {
    echo "skipped: packages are not tested: $1"
    exit 77
}
[ -n "${BX_LONG:-}" ] || skip 'this takes minutes (BX_LONG=1 asks for it)'
[ "$(id -u)" = 0 ] || skip 'only root can make a chroot'
for program in dh dh_python3 dpkg-buildpackage lintian debootstrap; do
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

# One Debian to build in and one to install in, each with a folder /packages.
base=$work/build log=$work/debootstrap.log
rm -rf "$work/build" "$work/use"
debootstrap --variant=minbase bookworm "$base" "$mirror" >"$log" 2>&1 || {
    cat "$log"
    exit 1
}
mkdir -p "$base/packages/new"
cp "$source"/tests/packages/*.sh "$source"/tests/packages/*.c "$source/tests/tutorial/lessons.py" \
    "$source/docs/how-to/install.md" "$source/docs/how-to/use-python.md" "$base/packages"
cp -a --reflink=auto "$base" "$work/use"
inside() { # folder, then a script and its arguments; what is mounted goes with the mount namespace
    # shellcheck disable=SC2016 # expanded by that shell
    unshare --mount --propagation private sh -euc '
        root=$1
        shift
        mount -t proc proc "$root/proc"
        mount -t sysfs -o ro sysfs "$root/sys"
        mount --rbind /dev "$root/dev"
        exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root \
            DEBIAN_FRONTEND=noninteractive sh "$@"' - "$@"
}

version=$(dpkg-parsechangelog -l "$source/debian/changelog" -S Version)
# The next version, built from the archive that `meson dist` makes, or without git from the copy.
if [ -e "$source/.git" ]; then
    meson dist -C "$build" --no-tests --allow-dirty --formats gztar
    tar -x -f "$build/meson-dist/boxscore-$version.tar.gz" -C "$base/packages"
else
    (cd "$work/old/boxscore-$version" && debian/rules clean)
    cp -r "$work/old/boxscore-$version" "$base/packages"
fi
cd "$base/packages/boxscore-$version"
{
    printf 'boxscore (%s+next) UNRELEASED; urgency=medium\n\n  * Next.\n\n' "$version"
    sed -n '/^ -- /{p;q}' debian/changelog
    echo
    cat debian/changelog
} >next
mv next debian/changelog
inside "$base" /packages/build.sh

cd "$work/use/packages"
mkdir old
cp "$work"/old/*.deb old
cp "$base"/packages/new/*.deb new
rm -f ./*/*-dbgsym_*
cd /
inside "$work/use" /packages/use.sh "$version"
rm -rf --one-file-system "$work"
