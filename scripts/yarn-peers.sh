#!/usr/bin/env bash
# Installs what the shell commands of docs/yarn.md need and this machine lacks. The cluster itself is fetched by the tests.
set -euo pipefail

. "$(dirname "$0")/debian-packages.sh"
need curl curl
need jq jq
need zip zip
install_missing
