#!/usr/bin/env bash
# Installs what `npm run test:containers` needs and this machine lacks: Podman, a runtime for it, and a program that an
# image can be made of without a registry. Nothing is started.
set -euo pipefail

say() { echo "container-peers: $*" >&2; }

missing=()
need() { # a program or file, and the package of Debian that has it
  command -v "$1" >/dev/null || [ -e "$1" ] || missing+=("$2")
}
need podman podman
need runc runc
need conmon conmon
need /usr/lib/podman/netavark netavark
need slirp4netns slirp4netns
need busybox busybox-static
if [ ${#missing[@]} -gt 0 ]; then
  say "installing ${missing[*]}"
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi
