#!/usr/bin/env bash
# Installs the Java that a real Flink needs, where this machine has none. Flink itself is fetched by whoever starts it.
set -euo pipefail

. "$(dirname "$0")/debian-packages.sh"
need javac default-jdk-headless
install_missing
