import { readLogTail, tailOfPage } from '../../ppa/log-tail.ts';
import { openStandIn, type OwnStandIn } from '../support/stand-in.ts';
import { until } from '../support/until.ts';

const LOG = `sbuild (Debian sbuild) 0.85.0

cc -DNAME="<hello> & 'more'" -I/usr/include/a-long-path/that-is-broken/where-it-may-be -c a.c
    see https://example.org/a?b=1&c=2#d.
\tindented`;
/** Launchpad's page keeps no tab apart from spaces. */
const SHOWN = LOG.replace('\t', ' ');

let standIn: OwnStandIn;
beforeAll(async () => {
  standIn = await openStandIn();
});
afterAll(() => standIn.close());

const read = (url: string, timeoutMs = 60_000) =>
  readLogTail(url, { timeoutMs, signal: new AbortController().signal });

/** The page of a build that is in the second of its states. */
async function pageOf(name: string): Promise<string> {
  const source = await standIn.make({ name });
  await standIn.upload(source.files);
  const publication = await standIn.publication(source);
  const build = await standIn.buildIn(publication, 'Currently building');
  return build['web_link'] as string;
}

describe('the log on the page of a build', () => {
  const steps = (released: boolean) => ({
    sources: {
      hello: {
        released,
        builds: {
          '*': [
            { state: 'Currently building', writes: LOG, untilReleased: true },
            { state: 'Currently building', writes: '\ncc -c b.c\n' },
            { state: 'Gathering build output' },
          ],
        },
      },
    },
  });
  let page: string;
  beforeAll(async () => {
    standIn.play(steps(false));
    page = await pageOf('hello');
    await until('the log to be written', async () => 'shown' in (await read(page)));
  });

  it('is the text that was written', async () => {
    expect(await read(page)).toEqual({ shown: SHOWN });
  });

  it.each([
    [{ status: 403 }, 'not_public'],
    [{ status: 303 }, 'not_public'],
    [{ status: 503 }, 'unreachable'],
    [{ status: 429 }, 'unreachable'],
    [{ reset: true }, 'unreachable'],
    [{ hang: true }, 'unreachable'],
  ] as const)('is not had where the page answers %j: %s', async (fault, problem) => {
    standIn.play({ ...steps(false), web: [{ match: '+build/', ...fault }] });
    expect(await read(page, 'hang' in fault ? 500 : undefined)).toEqual({ problem });
    standIn.play(steps(false));
  });

  it('grows, and goes from the page when nothing is built any more', async () => {
    standIn.play(steps(true));
    await until('the log to go', async () => 'problem' in (await read(page)));
    expect(await read(page)).toEqual({ problem: 'not_shown' });
  });
});

it('is found in a page of any form, and nothing else of it', () => {
  const page = (log: string) =>
    `<html><p>before</p><div id="buildlog-tail" class="logtail">${log}</div><p>after</p></html>`;
  expect(tailOfPage(page(''))).toBe('');
  expect(tailOfPage(page('<p>one<br />\n&nbsp;&nbsp;two</p>\n<p>th<wbr />ree &lt;b&gt;</p>'))).toBe(
    'one\n  two\n\nthree <b>',
  );
  expect(tailOfPage(page('<p>cut'))).toContain('cut');
  expect(tailOfPage('<html>Needs building</html>')).toBeUndefined();
});
