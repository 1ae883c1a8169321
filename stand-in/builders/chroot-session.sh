#!/bin/sh
# The chroot of one build, as a virtualisation server of autopkgtest: sbuild starts it, tells it on standard input what
# it wants (README.virtualisation-server of the package autopkgtest), and runs every command of the build by it.
# `sbuild --chroot-mode=unshare` would make the namespaces, and mount all that belongs there, for each of a hundred
# commands: it takes nearly three times the processor time of the whole build.
#
# Usage: chroot-session.sh serve TARBALL CACHE FOLDER  the chroot of the tarball, in the folder, which it makes
#        chroot-session.sh hold TARBALL SHARED FOLDER  the first process in the namespaces
#        chroot-session.sh run HOLDER COMMAND…         runs a command in the chroot that the process holds
set -eu
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games
export PATH

serve() {
  tarball=$1 shared=$2/$(stat --dereference --format=%i-%Y "$1") folder=$3 holder=
  echo ok
  while read -r request _; do
    case $request in
      open) if open; then echo "ok $folder"; else echo 'the chroot could not be set up'; fi ;;
      capabilities) echo 'ok root-on-testbed' ;;
      print-execute-command) echo "ok $(escaped "$0"),run,$holder" ;;
      close) close && echo ok ;;
      quit) break ;;
      *) echo "unknown: $request" ;;
    esac
  done
  close
}

open() {
  mkdir "$folder" && mkfifo "$folder.ready" || return 1
  # All that runs in the chroot ends with the first process in its namespace, that one with unshare, and unshare with
  # this process: nothing in the chroot has a say in it.
  setpriv --pdeathsig KILL unshare --map-root-user --map-auto --mount --pid --uts --ipc --fork --kill-child -- \
    "$0" hold "$tarball" "$shared" "$folder" >"$folder.ready" &
  holder=$!
  read -r _ <"$folder.ready"
}

close() {
  [ -n "$holder" ] || return 0
  kill -KILL "$holder" 2>/dev/null || true
  # The shell would say into the log of the build what it has ended.
  wait "$holder" 2>/dev/null || true
  holder=
}

# A word of a list of words between commas.
escaped() { printf %s "$1" | sed 's/%/%25/g; s/,/%2C/g'; }

hold() {
  tarball=$1 shared=$2 folder=$3
  fill
  hostname sbuild
  printf '127.0.0.1 localhost\n127.0.1.1 sbuild\n' >"$folder/etc/hosts"
  [ ! -f /etc/resolv.conf ] || cat /etc/resolv.conf >"$folder/etc/resolv.conf"
  for device in null zero full random urandom tty console; do
    : >"$folder/dev/$device"
    mount --bind "/dev/$device" "$folder/dev/$device"
  done
  mkdir -p "$folder/dev/pts" "$folder/dev/shm"
  mount -t devpts -o noexec,nosuid,gid=5,mode=620,ptmxmode=666 devpts "$folder/dev/pts"
  mount -t tmpfs tmpfs "$folder/dev/shm"
  # Without fs/cgroup: systemd gives the groups of a person's programs to the person, who is root in here.
  for part in block bus class dev devices firmware kernel module power; do
    [ -d "/sys/$part" ] || continue
    mkdir -p "$folder/sys/$part"
    mount --rbind "/sys/$part" "$folder/sys/$part"
  done
  mount -t proc proc "$folder/proc"
  ln -sfT pts/ptmx "$folder/dev/ptmx"
  ln -sfT /proc/self/fd "$folder/dev/fd"
  ln -sfT /proc/self/fd/0 "$folder/dev/stdin"
  ln -sfT /proc/self/fd/1 "$folder/dev/stdout"
  ln -sfT /proc/self/fd/2 "$folder/dev/stderr"
  # It is the parent of every orphan in there; the kernel buries those of a process that does not want to know.
  trap '' CHLD
  # Any process in there is a way to its own root and working directory (/proc/ID/root): no other may be left than the
  # chroot. sbuild runs as root of the namespace, and follows links that the build has put there. The programs that
  # follow are the chroot's.
  cd "$folder"
  pivot_root . .
  umount --lazy . || {
    echo "The chroot has no umount. Remove $tarball: it is made anew with one." >&2
    exit 1
  }
  cd /
  echo ready
  exec sleep infinity >/dev/null
}

# What is in the tarball is unpacked once for all builds, each of which writes to a layer of its own. Where the kernel
# or the file system has no such layers, each build unpacks it.
fill() {
  mkdir --mode=755 "$folder.layer" "$folder.work"
  layers="lowerdir=$shared,upperdir=$folder.layer,workdir=$folder.work"
  if share && mount -t overlay -o "userxattr,$layers" overlay "$folder" 2>/dev/null; then
    echo "Mounting what was unpacked from $tarball on $folder..." >&2
  else
    unpack "$folder"
    # Only a mount can become the root.
    mount --bind "$folder" "$folder"
  fi
}

# Sees that the shared folder is there: the first build unpacks it, while the others wait.
share() {
  exec 4>>"$shared.lock" && flock 4 || return 1
  if [ ! -d "$shared" ]; then
    rm -rf "$shared.new" && mkdir "$shared.new" && unpack "$shared.new" && mv "$shared.new" "$shared"
  fi
  made=$?
  exec 4>&-
  return $made
}

unpack() {
  echo "Unpacking $tarball to $1..." >&2
  tar --extract --directory="$1" --exclude='./dev/*' <"$tarball"
}

run() {
  holder=$1
  shift
  set -- --mount --uts --ipc --pid="/proc/$holder/ns/pid_for_children" -- "$@"
  for word in "$@"; do
    # As `--chroot-mode=unshare` has it: the build itself has no network.
    [ "$word" = dpkg-buildpackage ] || continue
    exec nsenter --target="$holder" --user -- unshare --net -- \
      sh -c 'ip link set lo up && exec nsenter "$@"' nsenter --target="$holder" "$@"
  done
  exec nsenter --target="$holder" --user "$@"
}

"$@"
