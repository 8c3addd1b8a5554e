#!/usr/bin/env bash
# Installs what `npm run test:browser` needs and this machine lacks: a browser and a screen for it. Nothing is started.
set -euo pipefail

missing=()
need() { # a program or file, and the package of Debian that has it
  command -v "$1" >/dev/null || [ -e "$1" ] || missing+=("$2")
}
need chromium chromium
need Xvfb xvfb
need xauth xauth
if [ ${#missing[@]} -gt 0 ]; then
  echo "browser-peers: installing ${missing[*]}" >&2
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi
