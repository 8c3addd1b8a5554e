#!/usr/bin/env bash
# Installs what `npm run test:mail` needs and this machine lacks: a mail server with passwords. Nothing is started.
set -euo pipefail

. "$(dirname "$0")/debian-packages.sh"
need /usr/sbin/postfix postfix
need /usr/sbin/saslpasswd2 sasl2-bin
need "/usr/lib/$(uname -m)-linux-gnu/sasl2/libplain.so" libsasl2-modules
need openssl openssl
need setpriv util-linux
# Its installer would ask what kind of mail server this machine is to be: none.
install_missing \
  'postfix postfix/main_mailer_type select No configuration'
