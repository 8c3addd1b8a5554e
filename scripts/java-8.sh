#!/usr/bin/env bash
# Prints the home of a Java 8, which it first fetches and unpacks where there is none. Nothing is installed on the system:
#   HEADGATE_JAVA_8   a Java 8 that is there already: used as it is
#   HEADGATE_CACHE    where the fetched one is kept between runs (default ~/.cache/headgate)
#
# Debian carries Java 8 in its unstable suite only, built against a newer glibc than older releases have. Its packages are
# therefore unpacked beside that glibc, and each of its programs is told to load from there.
set -euo pipefail

if [ -n "${HEADGATE_JAVA_8:-}" ]; then
  echo "$HEADGATE_JAVA_8"
  exit
fi
cache=${HEADGATE_CACHE:-$HOME/.cache/headgate}
home=$cache/jdk8/usr/lib/jvm/java-8-openjdk-$(dpkg --print-architecture)
mkdir -p "$cache"

# Several runs may start at once; the first one fetches, the others wait for it.
exec 9>"$cache/jdk8.lock"
flock 9
if "$home/bin/javac" -version >/dev/null 2>&1; then
  echo "$home"
  exit
fi

say() { echo "java-8: $*" >&2; }
work=$(mktemp -d "$cache/jdk8.XXXXXX")
trap 'rm -rf "$work"' EXIT
packages=$work/packages
root=$work/root
mkdir -p "$packages" "$work"/apt/lists/partial "$work"/apt/cache/archives/partial

# The mirror is the one this machine uses for its own release.
own() { apt-get indextargets --format "\$($1)" 'Created-By: Packages' 'Label: Debian' 2>/dev/null | sed -n 1p; }
mirror=$(own REPO_URI)
[ -n "$mirror" ] || { say 'this machine has no Debian mirror configured (set HEADGATE_JAVA_8 to the home of a Java 8)'; exit 1; }
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# shellcheck disable=SC1091
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
{
  echo "deb [signed-by=$keyring] $mirror sid main"
  echo "deb [signed-by=$keyring] $mirror $release main"
} >"$work/apt/sources.list"
cat >"$work/apt/apt.conf" <<CONF
Dir::Etc::SourceList "$work/apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$work/apt/lists";
Dir::Cache "$work/apt/cache";
APT::Sandbox::User "root";
Acquire::Retries "5";
Acquire::Languages "none";
CONF

say "fetching Java 8 into $cache/jdk8"
export APT_CONFIG=$work/apt/apt.conf
apt-get -qq update >&2
# patchelf runs with this machine's own glibc, everything else with the new one.
(cd "$packages" && apt-get -qq download openjdk-8-jre-headless/sid openjdk-8-jdk-headless/sid libc6/sid libstdc++6/sid \
  libgcc-s1/sid zlib1g/sid "patchelf/$release" >&2)
unset APT_CONFIG

for package in "$packages"/openjdk-8-*.deb; do dpkg -x "$package" "$root"; done
for package in "$packages"/{libc6,libstdc++6,libgcc-s1,zlib1g}_*.deb; do dpkg -x "$package" "$root/sysroot"; done
dpkg -x "$packages"/patchelf_*.deb "$work/tools"

# The tree names its own last place, not the one it is being made in.
final=$cache/jdk8
libraries=$(cd "$root/sysroot" && find . -name 'ld-linux*.so*' -path '*/lib/*-linux-gnu/*' -printf '%h\n' | sed -n '1s/^\.//p')
[ -n "$libraries" ] || { say 'the fetched glibc holds no loader'; exit 1; }
loader=$final/sysroot$libraries/$(basename "$(find "$root/sysroot$libraries" -name 'ld-linux*.so*' | sed -n 1p)")
patchelf=$work/tools/usr/bin/patchelf
while IFS= read -r -d '' file; do
  head -c 4 "$file" | grep -q $'\x7fELF' || continue
  "$patchelf" --print-interpreter "$file" >/dev/null 2>&1 || continue
  runpath=$("$patchelf" --print-rpath "$file")
  "$patchelf" --set-interpreter "$loader" --force-rpath \
    --set-rpath "${runpath:+$runpath:}$final/sysroot$libraries:/lib${libraries#/usr/lib}:$libraries" "$file"
done < <(find "$root/usr" -type f -perm -u+x -print0)

# Its settings lie under /etc in the package; here they lie beside it.
while IFS= read -r -d '' link; do
  target=$(readlink "$link")
  case $target in /etc/java-8-openjdk/*) ln -sfn "$final$target" "$link" ;; esac
done < <(find "$root/usr" -type l -print0)

rm -rf "$final"
mv "$root" "$final"
"$home/bin/javac" -version >&2
echo "$home"
