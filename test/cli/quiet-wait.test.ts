import { quietWaitText } from '../../cli/builds/quiet-wait.ts';
import { until } from '../support/until.ts';
import { call, collecting } from './call.ts';

const NOW = new Date('2026-01-01T00:00:42.000Z');
const amd64 = {
  package: 'hello',
  version: '1.0',
  architecture: 'amd64',
  buildstate: 'Currently building',
  state: 'building' as const,
  web_link: 'https://launchpad.test/+build/1',
};
const EVENT = {
  state: 'STATUS' as const,
  message: 'INPROGRESS' as const,
  phase: 'building' as const,
  phase_since: '2026-01-01T00:00:00.000Z',
  source_packages: [],
  ppa: 'a/b',
  progress_trigger: null,
  seq: 1,
  build_id: 5,
  attempt: 1,
  ticket_id: 7,
  timestamp: '2026-01-01T00:00:00.000Z',
  builds: [amd64],
};
const usually = (ms: number | null) => [
  { package: 'hello', architecture: 'amd64', median_ms: ms, builds: 1 },
];

describe('a quiet wait', () => {
  it('shows how long a package builds, and how long that usually takes', () => {
    expect(quietWaitText(EVENT, usually(28_000), NOW)).toBe(
      '… building for 42 s, usually 28 s (hello on amd64)',
    );
  });

  it('says that nothing is known of a package that is new', () => {
    expect(quietWaitText(EVENT, usually(null), NOW)).toContain('for the first time');
  });

  it('shows for whom it waits, since when, and when it gives up', () => {
    const waiting = {
      for: 'ppa' as const,
      since: '2026-01-01T00:00:30.000Z',
      usually_ms: 1_000,
      gives_up_at: '2026-01-01T00:15:30.000Z',
      ahead: null,
    };
    const event = { ...EVENT, phase: 'accepting' as const, builds: [], waiting };
    expect(quietWaitText(event, [], NOW)).toBe(
      '… accepting for 12 s; waits for the PPA to show the upload, usually 1 s, gives up in 14 min 48 s',
    );
  });

  it('is a line that goes when there is news; a pipe has none', async () => {
    const last = {
      ...EVENT,
      seq: 2,
      phase: 'completed',
      message: 'COMPLETE',
      exit: true,
      logs: [],
    };
    const terminal = collecting(true, 80);
    const stream = async function* () {
      const frame = (event: { seq: number }) =>
        new TextEncoder().encode(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
      yield frame(EVENT);
      await until('the line is shown', () => terminal.text().includes('…'));
      yield frame(last);
    };
    const world = () => ({
      env: { AIRLINE_URL: 'http://127.0.0.1:1' },
      now: () => NOW,
      fetch: async (url: string | URL | Request) =>
        new Request(url).url.includes('/events/')
          ? new Response(ReadableStream.from(stream()), {
              headers: { 'content-type': 'text/event-stream' },
            })
          : Response.json({ objects: usually(28_000) }),
    });
    const args = ['build', 'watch', '5', '--no-color'];
    const [pipe] = await Promise.all([
      call(args, world()),
      call(args, { ...world(), stdout: terminal.stream }),
    ]);
    expect(terminal.text()).toContain(
      '\r\u001b[K… building for 42 s, usually 28 s (hello on amd64)\r\u001b[K',
    );
    expect(terminal.text()).toContain('✓ Build 5 is complete.');
    expect(pipe.stdout).toContain('✓ Build 5 is complete.');
    expect(pipe.stdout).not.toContain('…');
  });

  describe('while the server does not say how long builds take', () => {
    /** A terminal and a server that answers the events alone. @returns why the other request was ended */
    const watch = async (events: string, ...more: string[]) => {
      let ended: unknown;
      const called = await call(['build', 'watch', '5', ...more], {
        isTerminal: true,
        env: { AIRLINE_URL: 'http://127.0.0.1:1' },
        fetch: async (url, init) => {
          init?.signal?.throwIfAborted();
          if (new Request(url).url.includes('/events/'))
            return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
          await new Promise((resolve) => init?.signal?.addEventListener('abort', resolve));
          ended = init?.signal?.reason;
          throw ended;
        },
      });
      return { ...called, ended };
    };

    it('ends at its limit of time', async () => {
      const { code, stderr, ended } = await watch('', '--timeout', '50ms');
      expect(ended).toMatchObject({ code: 'timed_out' });
      expect(code).toBe(7);
      expect(stderr).toContain('Not finished within');
    });

    it('goes on without it', async () => {
      const last = { ...EVENT, phase: 'completed', message: 'COMPLETE', exit: true, logs: [] };
      const { code, stdout } = await watch(`id: 1\ndata: ${JSON.stringify(last)}\n\n`);
      expect(code).toBe(0);
      expect(stdout).toContain('✓ Build 5 is complete.');
    }, 15_000);
  });

  it('ends for a package that failed while another is still built: it is told at once', async () => {
    const failed = {
      ...amd64,
      architecture: 'i386',
      state: 'failed',
      buildstate: 'Failed to build',
    };
    const events = [
      { ...EVENT, builds: [amd64, { ...failed, web_link: 'https://launchpad.test/+build/2' }] },
      { ...EVENT, seq: 2, phase: 'completed', message: 'COMPLETE', exit: true, logs: [] },
    ];
    const text = events.map((one) => `id: ${one.seq}\ndata: ${JSON.stringify(one)}\n\n`).join('');
    const { stdout } = await call(['build', 'watch', '5'], {
      env: { AIRLINE_URL: 'http://127.0.0.1:1' },
      fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
    });
    expect(stdout).toContain(
      '✗ hello 1.0 on i386: Failed to build\n  In the PPA  https://launchpad.test/+build/2\n',
    );
    expect(stdout).not.toContain('✗ hello 1.0 on amd64');
  });
});
