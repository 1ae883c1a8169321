#!/bin/bash
# Makes the image of a landing of a base image: puts in where the PPA is and what apt prefers of it, and brings the packages
# of the landing that are installed to its versions. Nothing else changes: only the PPA is asked what it has now.
# Usage: derive-image.sh GIVEN FOLDER BASE IMAGE [alone]; the folder GIVEN is only read: it has overlay/, and names, the
# landing's packages as name=version. With alone, apt takes nothing else of the PPA.
# Waits up to 5 minutes for the PPA's index to have all of names. Ends with 1 where it does not: it may at a later try.
# Ends with 10 where apt finds no way to install them: no later try does.
set -eu
given=$1 folder=$2 base=$3 image=$4 others=${5-}
root=$folder/root
mkdir "$root"
zstd --decompress --stdout "$base" | tar --extract --directory="$root" --exclude='./dev/*'
cp --recursive "$given/overlay/." "$root/"
chmod -R go=rX "$root/etc/apt"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"

inside() { unshare --mount -- /usr/share/autopkgtest/lib/unshare-helper "$root" -- "$@"; }

of_ppa() {
  program=$1
  shift
  inside "$program" --quiet --option Dir::Etc::SourceList=sources.list.d/airline-ppa.list \
    --option Dir::Etc::SourceParts=- "$@"
}
ppa_shows_all() {
  cp "$given/names" "$folder/missing"
  of_ppa apt-get --quiet --option APT::Update::Error-Mode=any --option APT::Get::List-Cleanup=false update || return
  # shellcheck disable=SC2046 # one word for each package
  of_ppa apt-cache madison $(sed 's/=.*//' "$given/names") |
    sed -n 's/^ *\([^ ]*\) *| *\([^ ]*\) *|.*/\1=\2/p' >"$folder/shown"
  grep --fixed-strings --line-regexp --invert-match --file="$folder/shown" "$given/names" >"$folder/missing" || :
  [ ! -s "$folder/missing" ]
}
# Launchpad says that packages are published before it writes the index, and a new PPA has none until then.
waits=30
until ppa_shows_all; do
  if [ "$waits" -eq 0 ]; then
    echo "The PPA does not show $(head --lines=20 "$folder/missing" | paste --serial --delimiters=' ')." >&2
    exit 1
  fi
  waits=$((waits - 1))
  sleep 10
done
origin=$(of_ppa apt-get indextargets 'Created-By: Packages' | sed -n '/^Origin: /{s///p;q}')
pin() { printf 'Package: %s\nPin: %s\nPin-Priority: %s\n\n' "$@"; }
{
  # What is landed counts, even where the archive has a newer version.
  while IFS= read -r each; do pin "${each%%=*}" "version ${each#*=}" 1001; done <"$given/names"
  # The PPA's host does not tell them apart: it may have other repositories, too.
  [ "$others" != alone ] || [ -z "$origin" ] || pin '*' "release o=$origin" -1
} >"$root/etc/apt/preferences.d/airline-ppa"
chmod 644 "$root/etc/apt/preferences.d/airline-ppa"
installed=$(inside dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
wanted=
while IFS= read -r each; do
  case "
$installed
" in
    *"
${each%%=*}
"*) wanted="$wanted $each" ;;
  esac
done <"$given/names"
apt_get() {
  inside env DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes --no-install-recommends --allow-downgrades \
    --option Dpkg::Options::=--force-confold "$@"
}
# shellcheck disable=SC2086 # one word for each package
if [ -n "$wanted" ]; then
  code=0
  apt_get --simulate install $wanted || code=$?
  # apt's own code of what it refuses; the other ones are of what runs it.
  [ "$code" -ne 100 ] || exit 10
  apt_get install $wanted
fi
inside apt-get clean
rm "$root/usr/sbin/policy-rc.d" "$root/etc/apt/apt.conf.d/zz-airline-proxy"
inside dpkg-query --show >"$folder/packages"
(cd "$root/var/lib/apt/lists" && sha256sum -- *InRelease) >"$folder/releases"
# What zstd makes of a tar file that ends too early looks like a whole one.
set -o pipefail
tar --create --directory="$root" --numeric-owner --exclude='./dev/*' --exclude='./proc/*' --exclude='./sys/*' . |
  zstd --quiet -3 -o "$image"
