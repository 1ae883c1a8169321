#!/bin/sh
# The first process of the namespaces in which strangers' code runs: when it ends, all that is in them ends.
# Usage: session.sh FOLDER [FILE…] -- COMMAND…
# The command finds the machine's programs with their settings, what is its own in the folder, the files, and nothing else. A
# FILE may be a folder, too.
set -eu
folder=$1
shift
# Each by itself: where the folder is the user's, who finds it can put something else in place of what is kept there.
set -- "$folder/tools" "$folder/proxy" "$TMPDIR" "$@"
root=$TMPDIR/.root
mask=$(umask)
# The subordinate ids must get through.
umask 022
mkdir "$root"
mount -t tmpfs -o mode=755 tmpfs "$root"

show() {
  if [ -d "$1" ]; then
    mkdir -p "$root$1"
  else
    mkdir -p "$root${1%/*}"
    : >"$root$1"
  fi
  mount "${2:---bind}" "$1" "$root$1"
}
for each in /usr /etc /bin /sbin /lib*; do
  if [ -L "$each" ]; then cp --no-dereference "$each" "$root"; else show "$each" --rbind; fi
done
for each in null zero full random urandom tty console; do
  [ ! -e "/dev/$each" ] || show "/dev/$each"
done
mkdir "$root/dev/pts" "$root/dev/shm" "$root/proc" "$root/run"
mount -t devpts -o noexec,nosuid,newinstance,gid=5,mode=620,ptmxmode=666 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t proc proc "$root/proc"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s fd/0 "$root/dev/stdin"
ln -s fd/1 "$root/dev/stdout"
ln -s fd/2 "$root/dev/stderr"
# Without fs/cgroup: systemd gives the groups of a person's programs to the person.
for each in block bus class dev devices firmware kernel module power; do
  [ ! -d "/sys/$each" ] || show "/sys/$each" --rbind
done
# On the disk, whose room is watched. A file that is below /tmp comes after that.
mkdir --mode=1777 "$TMPDIR/.tmp"
for each in /tmp /var/tmp; do
  mkdir -p "$root$each"
  mount --bind "$TMPDIR/.tmp" "$root$each"
done
while [ "$1" != -- ]; do
  [ -e "$root$1" ] || show "$1"
  shift
done
shift
# The command is root of the namespaces, and no chroot holds who is root: it could leave one for all files of the user,
# and the sockets of the user's programs. Here it has nothing below its root, and nowhere to go.
cd "$root"
pivot_root . .
umount --lazy .
cd "$TMPDIR"
umask "$mask"

# One name on all machines: an image that is made on one knows it on the others.
hostname airline-test
python3 "$folder/tools/forward.py" "$folder/proxy"
# A pipe in place of a socket, which nothing can open a second time, by /dev/stderr.
mkfifo "$TMPDIR/.output"
cat "$TMPDIR/.output" &
output=$!
exec >"$TMPDIR/.output" 2>&1
"$@" &
child=$!
# A first process hears of no signal that it does not handle.
trap 'kill -TERM "$child" 2>/dev/null || true' TERM INT
while :; do
  code=0
  wait "$child" || code=$?
  # A signal ends the wait, not the command.
  kill -0 "$child" 2>/dev/null || break
done
# What was printed last passes through; what the command has left running does not hold it up.
exec >/dev/null 2>&1
(sleep 5 && kill "$output") &
wait "$output" || true
exit "$code"
