#!/usr/bin/env bash
# Prints the path of Maven. Where there is none, Debian's package of it is installed first, which needs root.
set -euo pipefail

if command -v mvn; then exit; fi
say() { echo "maven: $*" >&2; }
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  say 'mvn is missing: install Maven (on Debian: apt-get install maven)'
  exit 1
fi

# Several runs may start at once; the first one installs, the others wait for it.
exec 9>"${TMPDIR:-/tmp}/headgate-maven.lock"
flock 9
if command -v mvn; then exit; fi

say "installing Debian's package maven"
export DEBIAN_FRONTEND=noninteractive
patient=(-qq -o Acquire::Retries=5 -o DPkg::Lock::Timeout=300)
apt-get "${patient[@]}" update >&2
apt-get "${patient[@]}" install -y --no-install-recommends maven default-jre-headless >&2
hash -r
command -v mvn
