#!/usr/bin/env bash
# Installs what `npm run test:browser` needs and this machine lacks: browsers, and a screen for one. Nothing is started.
set -euo pipefail

. "$(dirname "$0")/debian-packages.sh"
need chromium chromium
need chromium-headless-shell chromium-headless-shell
need firefox-esr firefox-esr
need Xvfb xvfb
need xauth xauth
install_missing
