import { execFileSync } from 'node:child_process';
import { readCommandLine } from '../../scripts/command-line.ts';
import { openPpa } from './builds.ts';
import { callAt } from './calls.ts';
import type { Check } from './check.ts';
import { makeInstallation } from './installation.ts';
import { runLocalSteps } from './local-steps.ts';
import { runPublicSteps } from './public-steps.ts';

const USAGE = `npm run compose:check -- [--restart-engine COMMAND] [--keep]

Runs docker-compose.yml and docker-compose.public.yml unedited, with the commands of docs/operations.md, on the Docker of
this machine: first start, builds, restarts and kills, more workers, backups, a proxy with TLS and two APIs. The PPA is
the stand-in for Launchpad. It uses the ports of these files and volumes of its own, and takes images that are there
already before it pulls any.

  --restart-engine  a command that kills Docker's engine and starts it again, such as
                    'sudo systemctl kill -s KILL docker && sudo systemctl restart docker'; without it the engine lives
  --keep            leaves containers, volumes and the clone where they are; the next check removes the first two
  --help            this text

Exit code: 0 when all of it held, 1 when something did not, 2 when it could not run.`;

const { values } = readCommandLine(USAGE, {
  options: {
    'restart-engine': { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});

/** What Docker says of itself. @throws where there is none */
function versions(): string {
  const ask = (...args: string[]) =>
    execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  const engine = ask('version', '--format', '{{.Server.Version}}');
  return `Docker ${engine}, Compose ${ask('compose', 'version', '--short')}`;
}

try {
  console.log(versions());
} catch (error) {
  console.error(
    `There is no Docker with Compose that this user may use, so nothing was checked: ${(error as Error).message}`,
  );
  process.exit(2);
}

const begin = performance.now();
const installation = makeInstallation();
const ppa = await openPpa();
const check: Check = {
  installation,
  ppa,
  call: callAt('http://127.0.0.1:8080'),
  amqpUrl: () => `amqp://airline:${installation.variable('RABBITMQ_PASSWORD')}@127.0.0.1:5673`,
  restartEngine: values['restart-engine'],
  async step(name, run) {
    const since = performance.now();
    const print = (how: string, seen: string) =>
      console.log(
        `${how}  ${((performance.now() - since) / 1_000).toFixed(0).padStart(4)} s  ${name}: ${seen}`,
      );
    try {
      print('ok  ', await run());
    } catch (error) {
      print('FAIL', (error as Error).message);
      throw error;
    }
  },
};

try {
  await runLocalSteps(check);
  await runPublicSteps(check);
  if (check.restartEngine === undefined)
    console.log('not done: the engine was not killed (--restart-engine)');
} catch {
  process.exitCode = 1;
  console.log(await installation.run('docker compose ps --all').catch(String));
  const logs = await installation.run('docker compose logs --tail 30').catch(String);
  console.log(logs);
}
if (values.keep) console.log(`kept: ${installation.directory}`);
else await installation.destroy();
await ppa.close();
console.log(
  `${process.exitCode ? 'FAILED' : 'held'} after ${((performance.now() - begin) / 60_000).toFixed(1)} min`,
);
