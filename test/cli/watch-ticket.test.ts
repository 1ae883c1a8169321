import { call, jsonLines, slowTime } from './call.ts';
import { json, useScript, type Answer } from './script-server.ts';

const standsAt = (step: string) => json(200, { id: 7, current_workflow_step: step, status: step });
const history = (...seqs: number[]) =>
  json(200, {
    meta: { total_count: seqs.length, offset: 0, limit: 20, next: null, previous: null },
    objects: seqs.map((seq) => ({
      seq,
      subticket: null,
      from_step: '100',
      to_step: '200',
      actor: 'ann',
      reason: '',
      created_at: '2026-01-01T00:00:00.000Z',
    })),
  });
const away: Answer = (request) => request.socket.destroy();
const never: Answer = () => undefined;

describe('following a ticket', () => {
  const server = useScript();
  const watch = (...more: string[]) =>
    call(['ticket', 'watch', '7', '--json', ...more], {
      env: server.environment,
      ...slowTime(),
    });
  const seqs = (stdout: string) => jsonLines<{ seq: number }>(stdout).map(({ seq }) => seq);

  it('goes on after a long outage, which it tells once', async () => {
    server.play(
      standsAt('200'),
      history(1),
      ...Array.from({ length: 50 }, () => away),
      standsAt('1000'),
      history(2),
    );
    const { code, stdout, stderr } = await watch();
    expect({ code, seqs: seqs(stdout) }).toEqual({ code: 0, seqs: [1, 2] });
    expect(stderr).toMatch(
      /^Lost the connection after change 1 \(.+\); trying again\.\nConnected again; going on after change 1\.\n$/,
    );
  });

  it('gives up in the end, and says how to come back', async () => {
    server.play(standsAt('200'), history(1), away);
    const { code, stderr } = await watch();
    expect(code).toBe(6);
    expect(stderr).toContain('airline ticket watch 7');
    expect(server.requests.length).toBeLessThan(100);
  });

  it('gives up no later where a try takes long', async () => {
    server.play(standsAt('200'), history(1));
    const time = slowTime();
    let asked = 0;
    const { code } = await call(['ticket', 'watch', '7'], {
      env: server.environment,
      ...time,
      fetch: async (...request) => {
        asked += 1;
        if (asked <= 2) return fetch(...request);
        time.pass(30_000);
        throw new TypeError('fetch failed');
      },
    });
    expect(code).toBe(6);
    expect(asked).toBeLessThan(30);
  });

  it('goes on where the machine slept for hours in an outage', async () => {
    server.play(standsAt('200'), history(1), away, away, standsAt('1000'), history(2));
    const time = slowTime();
    const { code } = await call(['ticket', 'watch', '7'], {
      env: server.environment,
      ...time,
      sleep: async () => time.pass(3 * 3_600_000),
    });
    expect(code).toBe(0);
  });

  it('gives up soon where no server ever answered', async () => {
    server.play(away);
    const { code, stderr } = await watch();
    expect({ code, asked: server.requests.length }).toEqual({ code: 6, asked: 4 });
    expect(stderr).not.toContain('Lost the connection');
    expect(stderr).not.toContain('airline ticket watch 7');
  });

  it('ends with 7 when the time is over, though the server takes requests and answers none', async () => {
    server.play(never);
    const { code, stderr } = await watch('--timeout', '200ms');
    expect(code).toBe(7);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'timed_out', hint: expect.stringContaining('airline ticket watch 7') },
    });
  });

  it('ends with 130 at Ctrl-C during a request, and says how to come back', async () => {
    const interruption = new AbortController();
    server.play(() => interruption.abort());
    const { code, stderr } = await call(['ticket', 'watch', '7'], {
      env: server.environment,
      interruption: interruption.signal,
    });
    expect(code).toBe(130);
    expect(stderr).toContain('airline ticket watch 7');
  });

  it('ends with 130 at Ctrl-C between two looks', async () => {
    const interruption = new AbortController();
    server.play(standsAt('200'), history(1));
    const { code, stderr } = await call(['ticket', 'watch', '7'], {
      env: server.environment,
      interruption: interruption.signal,
      sleep: async () => interruption.abort(),
    });
    expect(code).toBe(130);
    expect(stderr).toContain('airline ticket watch 7');
  });
});
