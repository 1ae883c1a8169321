#!/bin/sh
# Installs a package from an apt repository into a fresh root file system, and runs a command of it there.
# Usage: install.sh GIVEN FOLDER IMAGE PACKAGE COMMAND; the folder GIVEN is only read: it has target.list, target.asc and
# target.pref
set -eu
given=$1 folder=$2 image=$3 package=$4 command=$5
root=$folder/root
mkdir "$root"
zstd --decompress --stdout "$image" | tar --extract --directory="$root" --exclude='./dev/*'
cp "$given/target.list" "$root/etc/apt/sources.list.d/"
cp "$given/target.asc" "$root/etc/apt/keyrings/"
cp "$given/target.pref" "$root/etc/apt/preferences.d/"
chmod -R go=rX "$root/etc/apt"

inside() { unshare --mount -- /usr/share/autopkgtest/lib/unshare-helper "$root" -- "$@"; }

inside apt-get --quiet --option APT::Update::Error-Mode=any --option APT::Get::List-Cleanup=false \
  --option Dir::Etc::SourceList=sources.list.d/target.list --option Dir::Etc::SourceParts=- update >&2
inside env DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes install "$package" >&2
inside dpkg-query --show
echo
inside "$command"
