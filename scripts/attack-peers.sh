#!/usr/bin/env bash
# Installs what `npm run test:attacks` needs and this machine lacks: a compiler for the library that makes disks fail.
set -euo pipefail

. "$(dirname "$0")/debian-packages.sh"
need cc gcc
need /usr/include/stdio.h libc6-dev
install_missing
