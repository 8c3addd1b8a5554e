# For scripts that install what a test against real peers needs: `need` each program, then `install_missing`.

missing=()
need() { # a program or file, and the package of Debian that has it
  command -v "$1" >/dev/null || [ -e "$1" ] || missing+=("$2")
}

# Arguments: answers to questions that installers would ask, as debconf-set-selections takes them.
install_missing() {
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "$(basename "$0" .sh): installing ${missing[*]}" >&2
  local sudo answer
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq
  for answer in "$@"; do echo "$answer" | $sudo debconf-set-selections; done
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}
