import { call } from './call.ts';
import { useScript } from './script-server.ts';

const AT = '2026-01-01T00:00:00.000Z';
/** Sets the title of a window, clears the screen and hides what follows. */
const TEXT = '\u001b]0;title\u0007\u001b[2J\u001b[8m\u009b8m';
const SHOWN = '␛]0;title␇␛[2J␛[8m<U+009B>8m';
// oxlint-disable-next-line no-control-regex
const OWN_COLOURS = /\u001b\[\d\d?m/g;
// oxlint-disable-next-line no-control-regex
const ACTIVE = /[\u0007\u001b\u009b]/;

const page = (objects: readonly object[]) => ({ meta: { next: null, total_count: 1 }, objects });
const change = {
  seq: 1,
  subticket: null,
  from_step: '100',
  to_step: `2${TEXT}`,
  actor: 'ann',
  reason: '',
  created_at: AT,
};
const build = {
  id: 5,
  ticket_id: 7,
  phase: 'completed',
  cancel_requested_at: null,
  requested_at: AT,
  finished_at: AT,
  attempt: 1,
  source_packages: [],
  builds: [],
  sequence: [],
  built_packages: [],
  apt: `deb ${TEXT}`,
  logs: [],
  failure: null,
};
const token = { name: 'ann', scopes: [`read${TEXT}`], expires_at: null };
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/api/v1/status': {
    health: { database: { healthy: true, latency_ms: 1, error: null } },
    worker_queues: null,
    worker_queues_error: TEXT,
    builds: { [`queued${TEXT}`]: 1 },
  },
  '/api/v1/token/self/': { ...token, resource_uri: '/api/v1/token/1/' },
  '/api/v1/token/': { ...token, token: TEXT, ppas: [], queue_prefixes: [] },
  '/api/v1/ticket/7/': { id: 7, current_workflow_step: '1000', status: '1000' },
  '/api/v1/ticket/7/history/': page([change]),
  '/api/v1/build/5/': build,
  '/api/v1/build/5/attempts/': page([]),
  '/api/v1/build/5/expected/': page([]),
};

describe('a text of a server does nothing on a terminal with colours', () => {
  const server = useScript();
  beforeEach(() =>
    server.play(({ url = '' }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(ANSWERS[url.split('?')[0] ?? '']));
    }),
  );

  it.each([
    ['status'],
    ['login'],
    ['token create --name ann --scope read'],
    ['ticket watch 7'],
    ['build show 5'],
  ])('%s', async (line) => {
    const { code, stdout } = await call(line.split(' '), {
      env: server.environment,
      stdin: 'token\n',
      isTerminal: true,
    });
    expect(code).toBe(0);
    expect(stdout).toContain(SHOWN);
    expect(stdout.replace(OWN_COLOURS, '')).not.toMatch(ACTIVE);
    expect(stdout).not.toContain('\u001b[8m');
  });

  it('and colours stay where they are ours', async () => {
    const { stdout } = await call(['ticket', 'watch', '7'], {
      env: server.environment,
      isTerminal: true,
    });
    expect(stdout).toContain('\u001b[32m✓ Ticket 7 is complete.\u001b[39m');
  });
});
