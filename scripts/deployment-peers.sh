#!/usr/bin/env bash
# Installs what `npm run test:deployment` needs and this machine lacks: Podman with a runtime and a first process, what makes
# a base image out of Debian, since none can be pulled everywhere, and who reads units and compose files. Nothing is started.
set -euo pipefail

. "$(dirname "$0")/debian-packages.sh"
need podman podman
need runc runc
need conmon conmon
need /usr/lib/podman/netavark netavark
need /usr/libexec/podman/catatonit catatonit
need debootstrap debootstrap
need docker-compose docker-compose
need systemd-analyze systemd
install_missing
