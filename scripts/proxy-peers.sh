#!/usr/bin/env bash
# Installs what `npm run test:proxies` needs and this machine lacks: two reverse proxies. Nothing is started.
set -euo pipefail

. "$(dirname "$0")/debian-packages.sh"
need /usr/sbin/nginx nginx-light
need caddy caddy
install_missing
