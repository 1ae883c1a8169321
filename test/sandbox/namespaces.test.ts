import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unprivilegedUser } from '../../main/embedded/unprivileged-user.ts';
import { assertIsolates } from '../../sandbox/isolation.ts';
import { whyNoNamespaces } from '../../sandbox/namespaces.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const user = unprivilegedUser(() => undefined, 'airline-test');
const IDS = ['--map-root-user', '--map-auto'];

/** Puts a script in the place of unshare(1). */
function unshare(script: string): string {
  const path = join(temporaryDirectory(), 'unshare');
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

/** As AppArmor does on Ubuntu: the namespaces are given, and what is executed in them has no capability. */
const withoutCapabilities = () =>
  unshare(`
    options=
    while [ "$1" != -- ]; do options="$options $1"; shift; done
    shift
    exec /usr/bin/unshare $options -- setpriv --bounding-set=-all --inh-caps=-all -- "$@"`);

it('a user has namespaces where it can work in them', async () => {
  expect(await whyNoNamespaces(user, IDS)).toBeUndefined();
  await expect(assertIsolates(user)).resolves.toBeUndefined();
});

it('a user has none where they are given and their capabilities are not', async () => {
  const stock = withoutCapabilities();
  expect(await whyNoNamespaces(user, IDS, stock)).toMatch(/\bmount: \/tmp: permission denied/);
  await expect(assertIsolates(user, stock)).rejects.toThrow(
    /let [^]* have these \([^]*permission denied\.\): no tests are run\. [^]*apparmor_restrict_unprivileged_userns=0/,
  );
});

it('why there are none is told in the words of unshare', async () => {
  const old = unshare(`
    echo "unshare: unrecognized option '--map-auto'" >&2
    echo "Try 'unshare --help' for more information." >&2
    exit 1`);
  expect(await whyNoNamespaces(user, IDS, old)).toMatch(
    /unshare: unrecognized option '--map-auto'$/,
  );
});
