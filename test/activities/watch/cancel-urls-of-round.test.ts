import {
  CANCEL_URLS_AT_ONCE,
  SERVER_MS,
  cancelUrlsOfRound,
} from '../../../activities/watch/cancel-urls-of-round.ts';
import { keepLog, type LogLine } from '../activity.ts';
import { startFileServer, type FileServer } from '../file-server.ts';
import { TEST_SOURCES } from '../../support/test-sources.ts';

const LONG_MS = 60_000;
const SOON_MS = 50;

let server: FileServer;
let ask: (url: string) => Promise<boolean>;
/** What the round is given; its time counts for what is asked next. */
let deps: Parameters<typeof cancelUrlsOfRound>[0];
let lines: LogLine[];
/** The round's clock. */
let nowMs: number;

beforeEach(async () => {
  server = await startFileServer();
  const log = keepLog();
  lines = log.lines;
  nowMs = 0;
  deps = {
    logger: log.logger,
    cancelUrlTimeoutMs: LONG_MS,
    sources: { ...TEST_SOURCES },
  };
  ask = cancelUrlsOfRound(deps, () => nowMs);
});
afterEach(() => server.stop());

const there = (name: string) => server.answer(name, '{"building": true}');
const gone = (name: string) => server.answer(name, '{"building": false}');
const slow = (name: string, ms: number) =>
  server.answer(name, (_request, response) => {
    nowMs += ms;
    response.end('{"building": true}');
  });
const silent = (name: string) => server.answer(name, () => undefined);

function askFor(url: string, timeoutMs: number): Promise<boolean> {
  deps.cancelUrlTimeoutMs = timeoutMs;
  return ask(url);
}

describe('in one round', () => {
  it('a URL is asked once, and all builds that name it hear what it says', async () => {
    const url = gone('run.json');
    expect(await Promise.all([ask(url), ask(url)])).toEqual([true, true]);
    expect(await ask(url)).toBe(true);
    expect(server.asked('run.json')).toBe(1);
  });

  it('a server that lets one wait and has answered nothing is asked no more; another one is', async () => {
    const other = await startFileServer();
    expect(await askFor(silent('silent.json'), SOON_MS)).toBe(false);
    expect(await askFor(gone('gone.json'), LONG_MS)).toBe(false);
    expect(server.asked('gone.json')).toBe(0);
    expect(await ask(other.answer('gone.json', '{"building": false}'))).toBe(true);
    await other.stop();
  });

  it('a server that has answered is asked on, although one URL of it does not answer', async () => {
    expect(await askFor(there('there.json'), LONG_MS)).toBe(false);
    expect(await askFor(silent('silent.json'), SOON_MS)).toBe(false);
    expect(await askFor(gone('gone.json'), LONG_MS)).toBe(true);
  });

  it('a server that answers slowly is asked for a time, and another one is asked on', async () => {
    const other = await startFileServer();
    const time = CANCEL_URLS_AT_ONCE * SERVER_MS;
    expect(await ask(slow('slow.json', time - 1))).toBe(false);
    expect(await ask(gone('in-time.json'))).toBe(true);
    expect(lines).toEqual([]);
    expect(await ask(slow('last.json', 1))).toBe(false);
    for (const name of ['left-out.json', 'left-out-too.json']) {
      expect(await ask(gone(name))).toBe(false);
      expect(server.asked(name)).toBe(0);
    }
    expect(lines).toMatchObject([{ level: 40, origin: server.url }]);
    expect(await ask(other.answer('gone.json', '{"building": false}'))).toBe(true);
    await other.stop();
  });

  it('a server counts as slow for its own answers alone, and in this round alone', async () => {
    const other = await startFileServer();
    await ask(slow('slow.json', 2 * CANCEL_URLS_AT_ONCE * SERVER_MS));
    expect(await ask(other.answer('gone.json', '{"building": false}'))).toBe(true);
    const next = cancelUrlsOfRound(deps, () => nowMs);
    expect(await next(gone('gone.json'))).toBe(true);
    await other.stop();
  });
});
