#!/bin/bash
# Runs commands in a fresh clone on a bare Debian that has git and Node and nothing else, and times each:
# a root file system made for the purpose, an empty HOME, no caches. Network, kernel and CPUs are this machine's.
#
#   bench/bare-machine.sh 'npm run demo' 'npm run demo' 'npm test'
#
# The first command is measured cold; one that is repeated finds warm caches. Needs root and mmdebstrap.
# SERIES=trixie makes a Debian 13; a Debian 12 by default.
# GO=1 lends the machine's Go, for the build of the Temporal CLI; TEMPORAL=/path/to/temporal lends the CLI itself.
set -euo pipefail

series=${SERIES:-bookworm}
project=$(cd "$(dirname "$0")/.." && pwd)
root=$(mktemp -d /var/tmp/bare-machine-XXXXXX)
# One file system: should a mount be left, nothing behind it is touched.
trap 'rm -rf --one-file-system "$root"' EXIT
chmod 755 "$root"

echo "making a bare Debian $series in $root"
mmdebstrap --quiet --variant=minbase --include=git,ca-certificates "$series" "$root"
cp "$(command -v node)" "$root/usr/bin/node"
mkdir -p "$root/usr/lib/node_modules" "$root/usr/local/go"
cp -a "$(npm root -g)/npm" "$root/usr/lib/node_modules/"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/bin/npx"
# The authorities that this machine trusts: a network may have its own.
cp -a /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
[ -z "${TEMPORAL:-}" ] || install "$TEMPORAL" "$root/usr/local/bin/temporal"
git clone --quiet --bare "$project" "$root/srv/airline.git"

# Not chroot(1): sbuild builds in a user namespace, and the kernel gives none to a process in a chroot.
# shellcheck disable=SC2016 # expanded by the inner shell
enter='
  root=$1; shift
  mount --bind "$root" "$root"
  mount --rbind /dev "$root/dev"; mount --rbind /sys "$root/sys"
  mount -t proc proc "$root/proc"; mount -t tmpfs tmpfs "$root/run"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  go=
  if [ -n "${GO:-}" ]; then
    mount --bind "$(go env GOROOT)" "$root/usr/local/go"
    go=/usr/local/go/bin:
  fi
  cd "$root"; mkdir .host; pivot_root . .host; umount -l /.host; rmdir /.host
  exec env -i PATH="$go/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" LANG=C.UTF-8 \
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt sh -euc "
      update-ca-certificates >/dev/null 2>&1
      export HOME=\$(mktemp -d)
      git clone --quiet /srv/airline.git /opt/airline
      cd /opt/airline
      for command; do
        echo; echo \"=== \$command\"
        began=\$(date +%s)
        status=0; sh -c \"\$command\" </dev/null || status=\$?
        echo \"=== exit \$status after \$((\$(date +%s) - began)) s: \$command\"
      done" sh "$@"
'
unshare --mount --pid --fork --kill-child --propagation private sh -euc "$enter" sh "$root" "$@"
