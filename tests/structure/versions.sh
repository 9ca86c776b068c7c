#!/bin/sh
# The version is the same wherever it stands: meson.build, boxscore.h, NEWS, the package's changelog.
# usage: versions.sh SOURCE_ROOT
set -eu
cd "$1"
version=$(sed -n "s/^  version: '\([0-9.]*\)',$/\1/p" meson.build)
[ -n "$version" ] || {
    echo 'meson.build has no version'
    exit 1
}
bad=0
is() { # where, what stands there
    [ "$2" = "$version" ] || {
        echo "$1: '$2', but meson.build: '$version'"
        bad=1
    }
}
is include/boxscore/boxscore.h "$(sed -n 's/^#define BX_VERSION "\(.*\)"$/\1/p' include/boxscore/boxscore.h)"
is python/boxscore/__init__.py "$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' python/boxscore/__init__.py)"
is NEWS "$(sed -n '1s/^boxscore \([0-9.]*\).*/\1/p' NEWS)"
is debian/changelog "$(sed -n '1s/^boxscore (\([0-9.]*\)).*/\1/p' debian/changelog)"
[ "$bad" = 0 ]
