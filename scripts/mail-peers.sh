#!/usr/bin/env bash
# Installs what `npm run test:mail` needs and this machine lacks: a mail server with passwords. Nothing is started.
set -euo pipefail

missing=()
need() { # a program or file, and the package of Debian that has it
  command -v "$1" >/dev/null || [ -e "$1" ] || missing+=("$2")
}
need /usr/sbin/postfix postfix
need /usr/sbin/saslpasswd2 sasl2-bin
need "/usr/lib/$(uname -m)-linux-gnu/sasl2/libplain.so" libsasl2-modules
need openssl openssl
need setpriv util-linux
if [ ${#missing[@]} -gt 0 ]; then
  echo "mail-peers: installing ${missing[*]}" >&2
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq
  # Its installer would ask what kind of mail server this machine is to be: none.
  echo 'postfix postfix/main_mailer_type select No configuration' | $sudo debconf-set-selections
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi
