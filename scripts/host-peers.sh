#!/usr/bin/env bash
# Installs the frameworks that `npm run test:hosts` mounts the gateway in. They are no dependencies.
set -euo pipefail
cd "$(dirname "$0")/.."

npm ci --silent --no-audit --no-fund --prefix test/stages/hosts
