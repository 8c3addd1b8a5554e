#!/usr/bin/env bash
# Installs the other versions of Node that `npm run test:matrix` runs the tests on: from npm, a package each.
set -euo pipefail
cd "$(dirname "$0")/.."

npm ci --silent --no-audit --no-fund --prefix test/matrix
