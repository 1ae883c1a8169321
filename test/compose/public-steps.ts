import { execFile } from 'node:child_process';
import { createConnection } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from '../support/until.ts';
import { audited, completed, expected, logOf, type Call, type Requested } from './builds.ts';
import { callThrough } from './calls.ts';
import type { Check } from './check.ts';
import { commandsOf } from './page.ts';

const execute = promisify(execFile);
const URL_OF_PROXY = 'https://localhost';
const COMMAND = fileURLToPath(new URL('../../dist/cli/airline.mjs', import.meta.url));
const COMMAND_MS = 600_000;
const SOURCE = 'moved';

/** What docs/operations.md says of an API for others: behind the proxy, with tokens, on two processes. */
export async function runPublicSteps(check: Check): Promise<void> {
  const { installation, ppa, call: local, step } = check;
  const { run, set, healthy } = installation;
  const before = await ppa.standIn.make({ name: SOURCE });
  let urls: string[] = [];
  let built: Requested | undefined;
  let token = '';
  let call: Call = local;

  await step('a source and a log are stored at the first address', async () => {
    const { build, urls: stored } = await ppa.requestSource(local, before);
    await completed(local, [build]);
    [built, urls] = [build, stored];
    return `${urls.length} files, a log`;
  });

  await step('docker-compose.public.yml, two APIs', async () => {
    set({
      COMPOSE_FILE: 'docker-compose.yml:docker-compose.public.yml',
      AIRLINE_PUBLIC_URL: URL_OF_PROXY,
      AIRLINE_FORMER_URLS: 'http://127.0.0.1:8080',
      APIS: '2',
    });
    await run('docker compose up --detach');
    const { running } = await healthy();
    token = (await run(commandsOf('Tokens', 2))).trim();
    await run(commandsOf('For others', 2));
    call = callThrough(URL_OF_PROXY, {
      ca: installation.read('root.crt'),
      headers: { authorization: `Bearer ${token}` },
    });
    await until('the proxy', async () => (await call('GET', '/readyz')).status === 200);
    return `${running} services run; the proxy answers by HTTPS`;
  });

  await step('what strangers get', async () => {
    const stranger = callThrough(URL_OF_PROXY, {
      ca: installation.read('root.crt'),
      headers: { authorization: 'Bearer wrong', 'x-forwarded-for': '192.0.2.1' },
    });
    const statuses: number[] = [];
    while (statuses.length < 12) statuses.push((await stranger('GET', '/api/v1/ticket/')).status);
    if (await listens(8080)) throw new Error('port 8080 is open beside the proxy');
    const log = await run('docker compose logs --no-log-prefix api');
    if (log.includes('192.0.2.1')) throw new Error('the API believes a forged X-Forwarded-For');
    return `${statuses.join(' ')}; the API believes no forged address, and nothing reaches it without the proxy`;
  });

  await step('addresses and cookies', async () => {
    const stored = await call('PUT', '/store/uploads/place/place.txt', Buffer.from('place'));
    expected(201, stored);
    const { location } = stored.headers;
    if (location !== `${URL_OF_PROXY}/store/uploads/place/place.txt`)
      throw new Error(`Location: ${location}`);
    const signedIn = await call('POST', '/api/v1/session/', { token });
    const cookie = signedIn.headers['set-cookie'] ?? '';
    if (!cookie.includes('; Secure')) throw new Error(`${signedIn.status}: ${cookie}`);
    return 'those of the proxy; Secure';
  });

  await step('the source and the log of before', async () => {
    const build = await ppa.requestOf(call, `${SOURCE}-again`, urls);
    await completed(call, [build]);
    const log = await logOf(call, built as Requested);
    if (!log.startsWith(`${URL_OF_PROXY}/store/`)) throw new Error(log);
    expected(200, await call('GET', new URL(log).pathname));
    return 'the source is built again by its former address, the log has the present one';
  });

  await step('an API is killed while `airline submit --wait` follows a build', async () => {
    const { changes } = await ppa.standIn.make({ name: 'followed' });
    const following = execute(
      process.execPath,
      `${COMMAND} submit ${changes} --ppa ~me/debian/followed --series bookworm --archive debian --wait --url ${URL_OF_PROXY} --json`.split(
        ' ',
      ),
      {
        env: {
          ...process.env,
          AIRLINE_TOKEN: token,
          NODE_EXTRA_CA_CERTS: `${installation.directory}/root.crt`,
        },
        timeout: COMMAND_MS,
      },
    );
    const apis = (await installation.containers()).filter(({ Service }) => Service === 'api');
    await until(
      'the upload',
      async () =>
        (
          await ppa.standIn.entries(
            ppa.standIn.archiveUrl('~me/+archive/debian/followed'),
            'getPublishedSources',
          )
        ).length > 0,
    );
    for (const api of apis) {
      await installation.kill(api);
      await healthy();
    }
    const { stdout } = await following;
    const last = stdout.trim().split('\n').at(-1) ?? '';
    if (!last.includes('COMPLETE')) throw new Error(last);
    return `${apis.length} killed, one after the other; the command ended with 0`;
  });

  await step('each container is killed once more, with builds through the proxy', async () => {
    const requested: Requested[] = await ppa.requestMany(call, 6);
    for (const container of await installation.containers())
      if (container.State === 'running') await installation.kill(container);
    await healthy();
    return audited(check, call, requested);
  });
}

/** Whether something listens on a port of loopback. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
