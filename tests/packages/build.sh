#!/bin/sh
# In a fresh Debian 12: builds the packages of /packages/boxscore-* into /packages/new, with only
# the build dependencies of debian/control.
# usage: build.sh
set -eu
cd /packages/boxscore-*
apt-get update -q
apt-get install -q -y --no-install-recommends build-essential
apt-get build-dep -q -y --no-install-recommends ./
tools/deb.sh /packages/new
