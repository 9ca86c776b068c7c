#!/bin/sh
# Builds and tests everything: tools/suite/. usage: tools/test.sh quick|long [--all]
exec python3 "$(dirname "$0")/suite" "$@"
