import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { unprivilegedUser } from '../../main/embedded/unprivileged-user.ts';
import { createUnprivileged } from '../../sandbox/unprivileged.ts';

const KEY = `require "syscall.ph"; my ($session, $type, $name, $text) = (-3, "user", "airline", "secret");`;

/** Becomes a program that has a key in its session keyring, as a login with Kerberos does. */
const LOG_IN = `${KEY}
  syscall(&SYS_keyctl, 1, 0) >= 0 or die "no keyring: $!";
  syscall(&SYS_add_key, $type, $name, $text, 6, $session) >= 0 or die "no key: $!";
  exec @ARGV;`;

/** Says whether the key is there. */
const LOOK = `${KEY}
  print syscall(&SYS_keyctl, 10, $session, $type, $name, 0) >= 0 ? "found" : "absent";`;

it('strangers have none of the keys of the login that started us', async () => {
  const user = unprivilegedUser(() => undefined, 'airline-test');
  const program = `
    import { createUnprivileged } from './sandbox/unprivileged.ts';
    await createUnprivileged(${JSON.stringify(user)}).run('perl', ['-e', ${JSON.stringify(LOOK)}], {
      cwd: '/',
      temporaryDir: '/tmp',
      signal: new AbortController().signal,
      timeoutMs: 60_000,
      killAfterMs: 1_000,
      onOutput: (chunk) => process.stdout.write(chunk),
    });`;
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '--eval', program];
  const logIn = (command: string[]) =>
    promisify(execFile)('perl', ['-e', LOG_IN, '--', ...command]);
  expect((await logIn(['perl', '-e', LOOK])).stdout).toBe('found');
  expect((await logIn(node)).stdout).toBe('absent');
}, 120_000);

it('a program that is not there is named', async () => {
  let output = '';
  const user = unprivilegedUser(() => undefined, 'airline-test');
  const end = await createUnprivileged(user).run('no-such-program', [], {
    cwd: '/',
    temporaryDir: '/tmp',
    signal: new AbortController().signal,
    timeoutMs: 60_000,
    killAfterMs: 1_000,
    onOutput: (chunk) => (output += chunk),
  });
  expect(end).toEqual({ exitCode: 127, wasKilled: false });
  expect(output).toContain('no-such-program could not be started: No such file or directory');
});
