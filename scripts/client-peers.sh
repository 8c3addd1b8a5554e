#!/usr/bin/env bash
# Installs what `npm run test:clients` and `npm run test:schemathesis` need and this machine lacks: generators of clients
# for TypeScript and Python, and Schemathesis. Nothing is started.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/debian-packages.sh
need python3 python3
need /usr/share/doc/python3-venv python3-venv
install_missing

# Beside what is compiled, as they are no dependencies.
requirements=test/stages/clients/requirements.txt
if ! cmp -s "$requirements" build/python-clients/requirements.txt; then
  echo 'client-peers: installing the packages of requirements.txt' >&2
  rm -rf build/python-clients
  python3 -m venv build/python-clients
  build/python-clients/bin/pip install --quiet --disable-pip-version-check -r "$requirements" >&2
  cp "$requirements" build/python-clients/
fi
npm ci --silent --prefix test/stages/clients
