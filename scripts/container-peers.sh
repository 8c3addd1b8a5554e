#!/usr/bin/env bash
# Installs what `npm run test:containers` needs and this machine lacks: Podman, a runtime for it, and a program that an
# image can be made of without a registry. Nothing is started.
set -euo pipefail

. "$(dirname "$0")/debian-packages.sh"
need podman podman
need runc runc
need conmon conmon
need /usr/lib/podman/netavark netavark
need slirp4netns slirp4netns
need busybox busybox-static
install_missing
