import { until } from '../support/until.ts';
import { audited, completed, type Requested } from './builds.ts';
import type { Check } from './check.ts';
import { assertRestored, readContents, type Contents } from './contents.ts';
import { commandsOf } from './page.ts';

/** Services that are restarted and killed while builds are under way. */
const KILLED = ['postgresql', 'rabbitmq', 'temporal', 'api', 'worker'];
const BUILDS_OF_A_KILL = 4;
/** As it is typed where `rabbitmqctl` asks for it. */
const PASSWORD_OF_LANDER = 'lander\n';

/** What docs/operations.md says, on one machine and without tokens. */
export async function runLocalSteps(check: Check): Promise<void> {
  const { installation, ppa, call, step } = check;
  const { run, set, healthy } = installation;
  let first: Requested | undefined;

  await step('what an earlier check has left', async () => {
    await installation.removeEarlier();
    return 'nothing is there any more';
  });

  await step('Compose refuses to start without passwords', async () => {
    installation.write('.env', '');
    const refusal = await run('docker compose config').then(
      () => '',
      (error: Error) => error.message,
    );
    if (!refusal.includes('see docs/operations.md')) throw new Error(`it said: ${refusal}`);
    return 'it names what is missing, and the page';
  });

  await step('first start, as "First start" says, from a clone made under umask 077', async () => {
    await run(commandsOf('First start', 2));
    // As launchpadlib writes it where it names the machine.
    installation.write(
      'launchpad-credentials',
      '[1]\nconsumer_key = System-wide: Debian GNU/Linux (check)\nconsumer_secret = \naccess_token = t\naccess_secret = s\n',
      0o400,
    );
    await run(
      'docker run --rm -v "$PWD:/clone" debian:bookworm-slim chown 1000 /clone/launchpad-credentials',
    );
    const { standIn } = ppa;
    set({
      AIRLINE_SOURCE_HOSTS: '127.0.0.1',
      AIRLINE_LAUNCHPAD_URL: standIn.webUrl,
      AIRLINE_UPLOAD_HOST: standIn.ftpAddress,
      AIRLINE_APT_URL: `${standIn.webUrl}/apt`,
      AIRLINE_LOG_HOSTS: '127.0.0.1',
      AIRLINE_POLL_INITIAL_MS: '1000',
      AIRLINE_POLL_MAX_MS: '2000',
      AIRLINE_SIGNING_KEY: standIn.key.fingerprint,
    });
    await run(commandsOf('First start', 3));
    const { running, ended } = await healthy();
    await workersPoll(check, 1);
    return `${running} services healthy, ${ended} ended with 0, a worker polls`;
  });

  await step('the key of the signatures, the queues of the lander', async () => {
    installation.write('secret-key.asc', ppa.standIn.key.secretKey);
    await run(commandsOf('First start', 4));
    await run(commandsOf('What runs', 2), PASSWORD_OF_LANDER);
    await run(commandsOf('Progress queues'));
    return 'imported; account and limits set';
  });

  await step('a build of an unsigned source', async () => {
    await healthy();
    first = await ppa.request(call, { isSigned: false });
    return audited(check, call, [first]);
  });

  await step('each role has its own databases', async () => {
    const connect = (role: string, database: string) =>
      run(
        `docker compose exec --no-TTY postgresql psql --username=${role} --dbname=${database} --command='SELECT 1'`,
      ).then(
        () => true,
        () => false,
      );
    const found = [
      await connect('airline', 'airline'),
      await connect('temporal', 'temporal'),
      await connect('airline', 'temporal'),
      await connect('temporal', 'airline'),
    ];
    if (found.join() !== 'true,true,false,false') throw new Error(found.join());
    return 'neither gets into those of the other';
  });

  await step('WORKERS=3, and another `up`', async () => {
    set({ WORKERS: '3' });
    await run('docker compose up --detach');
    await run('docker compose up --detach');
    await healthy();
    await workersPoll(check, 3);
    return '3 workers run after both';
  });

  for (const how of ['docker restart', 'kill -9'] as const)
    await step(`${how} of each container, with builds under way`, async () => {
      const requested: Requested[] = [];
      for (const service of KILLED) {
        requested.push(...(await ppa.requestMany(call, BUILDS_OF_A_KILL)));
        const [container] = (await installation.containers()).filter(
          (one) => one.Service === service,
        );
        if (!container) throw new Error(`no container of ${service}`);
        if (how === 'kill -9') await installation.kill(container);
        else await run(`docker restart ${container.ID}`);
        await healthy();
      }
      return audited(check, call, requested);
    });

  if (check.restartEngine !== undefined)
    await step(`the engine is killed: ${check.restartEngine}`, async () => {
      const requested = await ppa.requestMany(call, BUILDS_OF_A_KILL);
      await run(check.restartEngine ?? '');
      await healthy();
      return audited(check, call, requested);
    });

  await step('connections of PostgreSQL', async () => describeConnections(check));

  await step('backup while it runs, all lost, restored', async () => {
    const before = await ppa.requestMany(call, BUILDS_OF_A_KILL);
    const contents = await readContents(call, first as Requested);
    await run(commandsOf('While it runs', 1));
    const modes = await run('stat --format=%a backup backup/running backup/running/*');
    if (/[1-7]$/m.test(modes)) throw new Error(`others may read it: ${modes}`);
    await installation.remove();
    await run(commandsOf('While it runs', 2));
    await healthy();
    await run(commandsOf('What runs', 2), PASSWORD_OF_LANDER);
    await completed(call, before);
    await assertRestored(call, first as Requested, contents);
    return `${await facts(check, contents)}; its ${before.length} builds under way completed`;
  });

  await step('backup while it is stopped, all lost, restored', async () => {
    const before = await ppa.requestMany(call, BUILDS_OF_A_KILL);
    const contents = await readContents(call, first as Requested);
    await run(commandsOf('While it is stopped', 1));
    await installation.remove();
    await run(commandsOf('While it is stopped', 2));
    await healthy();
    await assertRestored(call, first as Requested, contents);
    return `${await facts(check, contents)}; ${await audited(check, call, before)}`;
  });
}

/** What is there after a restore, as before it, once the chain of the history is found whole. */
async function facts({ installation }: Check, { builds, tickets, log }: Contents): Promise<string> {
  await installation.run(
    'docker compose run --rm --no-deps --no-TTY api node --import tsx admin/verify-history.ts',
  );
  return `${builds} builds, ${tickets} tickets, a log of ${log.length} characters as before, their history intact`;
}

async function describeConnections({ installation }: Check): Promise<string> {
  const rows = await installation.run(
    `docker compose exec --no-TTY --user postgres postgresql psql --tuples-only --no-align --command="SELECT coalesce(usename, '-') || ' ' || count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' GROUP BY usename ORDER BY 1"`,
  );
  return rows.trim().replaceAll('\n', ', ');
}

/** @throws Error where not so many workers run, or none of them polls */
async function workersPoll({ installation, call }: Check, count: number): Promise<void> {
  const all = await installation.containers();
  const running = all.filter(({ Service, State }) => Service === 'worker' && State === 'running');
  if (running.length !== count) throw new Error(`${running.length} workers run`);
  await until('a worker that polls', async () => {
    const { status, text } = await call('GET', '/api/v1/status');
    const { worker_queues: queues } = JSON.parse(text) as {
      worker_queues: { pollers: unknown[] }[] | null;
    };
    return status === 200 && queues?.every(({ pollers }) => pollers.length > 0);
  });
}
