#!/usr/bin/env bash
# Installs what `npm run test:browser` needs and this machine lacks: a browser and a screen for it. Nothing is started.
set -euo pipefail

. "$(dirname "$0")/debian-packages.sh"
need chromium chromium
need Xvfb xvfb
need xauth xauth
install_missing
