#!/bin/sh
# Runs as root in a bare Debian: installs the .deb with what it depends on, uses it, and removes it again.
#
# Usage: try-deb.sh FILE.deb VERSION
set -eu
deb=$1 version=$2
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 MANWIDTH=80

ok() { echo "ok: $*"; }
fail() {
  echo "failed: $*" >&2
  exit 1
}

! command -v airline >/dev/null || fail 'there is a command airline before it is installed'
apt-get -qq install --yes --no-install-recommends "$deb" >/dev/null
ok "installed, with Node $(node --version)"

shown=$(airline --version)
[ "$shown" = "$version" ] || fail "airline --version says $shown"
ok "airline --version: $shown"
airline --help | grep -q '^Usage: airline' || fail 'airline --help shows no usage'
ok 'airline --help'

# Only the readers of what the package brings; it does not need them.
apt-get -qq install --yes --no-install-recommends man-db bash-completion zsh >/dev/null 2>&1
for page in airline airline-build airline-landing; do
  man --warnings "$page" 2>/tmp/warnings | grep -q NAME || fail "man $page shows nothing"
  [ ! -s /tmp/warnings ] || fail "man $page: $(cat /tmp/warnings)"
done
ok "man airline, and $(dpkg -L airline-cli | grep -c 'man1/airline-.*gz') pages of commands"
bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader airline; complete -p airline' >/dev/null ||
  fail 'bash completes nothing'
zsh -c 'autoload -U compinit; compinit -u; [ "${_comps[airline]}" = _airline ]' || fail 'zsh completes nothing'
ok 'completion of bash and zsh'

files=$(dpkg -L airline-cli | grep airline)
apt-get -qq purge --yes airline-cli >/dev/null
for file in $files; do
  [ ! -e "$file" ] || fail "$file is left after its removal"
done
ok 'removed, and nothing is left'
