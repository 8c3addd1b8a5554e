#!/usr/bin/env bash
# Installs what `npm run test:identity` needs and this machine lacks: directories, a Kerberos realm, PAM, and the native
# package `kerberos`, which is built here from its sources. Nothing is started.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/debian-packages.sh
need /usr/sbin/slapd slapd
need /usr/sbin/krb5kdc krb5-kdc
need /usr/sbin/kadmin.local krb5-admin-server
need /usr/bin/kinit krb5-user
need /usr/include/gssapi/gssapi.h libkrb5-dev
need g++ g++
need make make
need curl curl
need openssl openssl
need /usr/sbin/saslauthd sasl2-bin
need /usr/sbin/samba samba-ad-dc
need /usr/bin/samba-tool samba-common-bin
need /usr/share/samba/setup/provision.ldif samba-ad-provision
need /usr/sbin/winbindd winbind
need ip iproute2
need setpriv util-linux
install_missing

# Beside the compiled library, which finds it there: it is no dependency, and `npm ci` must not need a compiler.
if [ ! -e build/node_modules/kerberos/build/Release/kerberos.node ]; then
  echo 'identity-peers: building the package kerberos' >&2
  mkdir -p build
  npm install --prefix build --no-save --no-package-lock --no-audit --no-fund kerberos@7.0.0 >&2
  # npm takes the links away that it does not know.
  node scripts/link-build.js
fi
