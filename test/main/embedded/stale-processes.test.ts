import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { assertFreePorts } from '../../../main/embedded/ports.ts';
import { identify, isRunning } from '../../../main/embedded/process-table.ts';
import { endMarked, STACK_MARKER } from '../../../main/embedded/stale-processes.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const stateDir = temporaryDirectory();

/**
 * A program that listens on a port and says which. Told to end, it first loses its environment, which a long name
 * overwrites, and a second later its port: as the kernel does it with a process of much memory.
 */
const SLOW_TO_END = `
  use IO::Socket::INET;
  $SIG{TERM} = sub { $0 = "x" x 100_000; sleep 1; exit };
  my $server = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die;
  $| = 1;
  print $server->sockport, "\\n";
  sleep 1 while 1;
`;

/** A program that only SIGKILL ends. One that is not of the stack waits for that, and starts another of the stack. */
const SUCCEEDED = `
  $SIG{TERM} = "IGNORE";
  pipe(my $end, my $held);
  if (!fork) {
    close $held;
    open STDIN, "<&", $end;
    exec "env", "-i", "sh", "-c", "echo ready; read line; ${STACK_MARKER}=${stateDir} exec sleep 60";
  }
  sleep 1 while 1;
`;

async function startListening(
  environment: Record<string, string>,
): Promise<{ pid: number; port: number }> {
  const child = spawn('perl', ['-e', SLOW_TO_END], {
    env: { PATH: '/usr/bin:/bin', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { pid: child.pid as number, port: Number(line) };
}

const expectFree = (port: number) =>
  expect(
    assertFreePorts([{ port, host: '127.0.0.1', variable: 'NO_SUCH', part: 'the next stack' }]),
  ).resolves.toBeUndefined();

it('waits until a process without an environment has given up its port', async () => {
  const { pid, port } = await startListening({ [STACK_MARKER]: stateDir });
  const identity = identify(pid);
  await endMarked(stateDir);
  expect(identity && isRunning(identity)).toBe(false);
  await expectFree(port);
});

it('ends those that are known without their environment, too', async () => {
  const { pid, port } = await startListening({});
  const identity = identify(pid);
  if (!identity) throw new Error('it does not run');
  await endMarked(stateDir, [identity]);
  expect(isRunning(identity)).toBe(false);
  await expectFree(port);
});

it('ends what starts while they are killed', async () => {
  const child = spawn('perl', ['-e', SUCCEEDED], {
    env: { PATH: '/usr/bin:/bin', [STACK_MARKER]: stateDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  await expect(endMarked(stateDir)).resolves.toBeUndefined();
});
