#!/bin/sh
# The first process of the namespaces in which strangers' code runs: when it ends, all that is in them ends.
# Usage: session.sh FORWARD SOCKET COMMAND…
set -eu
python3 "$1" "$2"
shift 2
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
