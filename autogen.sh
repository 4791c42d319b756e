#!/bin/sh
# Makes ./configure from configure.ac.
cd "$(dirname "$0")" && mkdir -p build-aux && exec autoreconf --install --warnings=no-obsolete
