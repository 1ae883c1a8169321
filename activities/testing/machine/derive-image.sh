#!/bin/sh
# Makes the image of a landing of a base image: puts in where the PPA is and what apt prefers of it, and brings the packages
# of the landing that are installed to its versions. Nothing else changes: only the PPA is asked what it has now.
# Usage: derive-image.sh FOLDER BASE IMAGE [alone]; the folder has overlay/ and names, the landing's packages as
# name=version. With alone, apt takes nothing else of the PPA.
# Ends with 10 where apt finds no way to install them: no later try does.
set -eu
folder=$1 base=$2 image=$3 others=${4-}
root=$folder/root
mkdir "$root"
zstd --decompress --stdout "$base" | tar --extract --directory="$root" --exclude='./dev/*'
cp --recursive "$folder/overlay/." "$root/"
chmod -R go=rX "$root/etc/apt"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"

inside() { unshare --mount -- /usr/share/autopkgtest/lib/unshare-helper "$root" -- "$@"; }

of_ppa() {
  inside apt-get --quiet --option Dir::Etc::SourceList=sources.list.d/airline-ppa.list \
    --option Dir::Etc::SourceParts=- "$@"
}
of_ppa --option APT::Update::Error-Mode=any --option APT::Get::List-Cleanup=false update
origin=$(of_ppa indextargets 'Created-By: Packages' | sed -n '/^Origin: /{s///p;q}')
pin() { printf 'Package: %s\nPin: %s\nPin-Priority: %s\n\n' "$@"; }
{
  # What is landed counts, even where the archive has a newer version.
  while IFS= read -r each; do pin "${each%%=*}" "version ${each#*=}" 1001; done <"$folder/names"
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
done <"$folder/names"
apt_get() {
  inside env DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes --no-install-recommends --allow-downgrades \
    --option Dpkg::Options::=--force-confold "$@"
}
# shellcheck disable=SC2086 # one word for each package
if [ -n "$wanted" ]; then
  for each in $wanted; do
    # The PPA may show it at a later try.
    inside apt-cache show "$each" | grep --quiet '^Version: ' || {
      echo "The PPA does not show $each." >&2
      exit 1
    }
  done
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
tar --create --directory="$root" --numeric-owner --exclude='./dev/*' --exclude='./proc/*' --exclude='./sys/*' . |
  zstd --quiet -3 -o "$image"
