import type { DataStore } from '../../store/store.ts';
import { Readable } from 'node:stream';
import { tellLandings, type LandingStory } from './landing-story.ts';
import { addPastBuild, addPastBuilds, addPastTicket, type Rows, type SeededBuild } from './seed.ts';

export const NASTY = '<script>alert(1)</script>';
export const LONG_LOG_LINES = 200_000;
export const FAILING_LINE = 150_001;

/** What the pages are shown with: builds of every fate, and what makes a page break where it can. */
export type Story = {
  ticket: { landing: number; nasty: number; failed: number };
  build: {
    running: number;
    failed: number;
    completed: number;
    cancelled: number;
    dependencyWait: number;
    queued: number;
    troubled: number;
    longLog: number;
  };
  landed: LandingStory;
};

const EXCERPT = `[ 61%] Building CXX object src/CMakeFiles/rocketscience.dir/orbit.cpp.o
src/orbit.cpp:212:18: error: no member named 'apogee' in 'Trajectory'
  212 |   return path.apogee() - kEarthRadius;
      |          ~~~~ ^
make[3]: *** [src/CMakeFiles/rocketscience.dir/build.make:118: orbit.cpp.o] Error 1`;

/**
 * Fills a database and a data store. Times are before `nowMs`, so that they read as a day at work does.
 *
 * @param options.hasLongLog false where nobody opens the long log: it takes time to write
 */
export async function tellStory(
  rows: Rows,
  store: DataStore,
  nowMs: number,
  { tickets = 1_000, hasLongLog = false }: { tickets?: number; hasLongLog?: boolean } = {},
): Promise<Story> {
  await addOtherTickets(rows, Math.max(0, tickets - 11), nowMs);
  await addNightlyBuilds(rows, nowMs);
  const landing = await addPastTicket(
    rows,
    {
      owner: 'ann@example.com',
      title: 'New upstream of the greeting stack: hello 2.12, libgreet 4.1',
      description:
        'hello 2.12 needs libgreet 4.1. Both go in together, and the image is tested with the new translations.',
      bug: 'https://bugs.launchpad.example/bugs/1998210',
      madeMinutesAgo: 190,
      way: [{ to: 200, minutesAgo: 41, by: 'lander', why: 'all packages are uploaded' }],
      packages: [
        {
          name: 'hello',
          version: '2.12-1',
          step: 200,
          source: 'https://store.example:8443/hello_2.12-1_source.changes',
        },
        {
          name: 'libgreet',
          version: '4.1-2ubuntu1',
          step: 200,
          source: 'https://store.example:8443/libgreet_4.1-2ubuntu1_source.changes',
        },
      ],
    },
    nowMs,
  );
  const running = await addPastBuild(
    rows,
    {
      ticketId: landing,
      name: 'hello',
      version: '2.12-1',
      requestedMinutesAgo: 8,
      moments: [
        [1, { amd64: 'Needs building', arm64: 'Needs building', riscv64: 'Needs building' }],
        [2, { amd64: 'Currently building', arm64: 'Needs building', riscv64: 'Needs building' }],
        [3, { amd64: 'Currently building', arm64: 'Needs building', riscv64: 'Needs building' }],
        [
          4,
          { amd64: 'Currently building', arm64: 'Currently building', riscv64: 'Needs building' },
        ],
        [
          6.5,
          { amd64: 'Successfully built', arm64: 'Currently building', riscv64: 'Needs building' },
        ],
      ],
    },
    nowMs,
  );
  const failedTicket = await addPastTicket(
    rows,
    {
      owner: 'ben@example.com',
      title: 'rocketscience: compute orbits in double precision',
      madeMinutesAgo: 320,
      way: [
        { to: 200, minutesAgo: 300, by: 'lander' },
        { to: 999, minutesAgo: 276, by: 'lander', why: 'build 2 failed on arm64' },
      ],
      packages: [
        {
          name: 'rocketscience',
          version: '0.9.3-1',
          source: 'https://store.example:8443/rocketscience_0.9.3-1_source.changes',
        },
      ],
    },
    nowMs,
  );
  const logs = await Promise.all(
    ['amd64', 'arm64'].map((architecture) =>
      putLog(
        store,
        `builds/rocket/rocketscience_0.9.3-1_${architecture}.build.log`,
        shortLog(architecture),
      ),
    ),
  );
  const failed = await addPastBuild(
    rows,
    {
      ticketId: failedTicket,
      name: 'rocketscience',
      version: '0.9.3-1',
      requestedMinutesAgo: 300,
      moments: [
        [1, { amd64: 'Needs building', arm64: 'Needs building' }],
        [2, { amd64: 'Currently building', arm64: 'Currently building' }],
        [14, { amd64: 'Successfully built', arm64: 'Currently building' }],
        [21, { amd64: 'Successfully built', arm64: 'Failed to build' }],
      ],
      endedAfter: 23,
      logs,
      failure: {
        class: 'build_failed',
        message: 'rocketscience 0.9.3-1 on arm64: Failed to build',
        package: 'rocketscience',
        architecture: 'arm64',
        excerpt: EXCERPT,
        excerpt_line: 411,
        line: 412,
      },
    },
    nowMs,
  );
  const completed = await addPastBuild(
    rows,
    {
      ticketId: landing,
      name: 'libgreet',
      version: '4.1-2ubuntu1',
      requestedMinutesAgo: 40,
      moments: [
        [1, { amd64: 'Needs building', arm64: 'Needs building', riscv64: 'Needs building' }],
        [
          2,
          {
            amd64: 'Currently building',
            arm64: 'Currently building',
            riscv64: 'Currently building',
          },
        ],
        [
          9,
          {
            amd64: 'Successfully built',
            arm64: 'Successfully built',
            riscv64: 'Currently building',
          },
        ],
        [
          17,
          {
            amd64: 'Successfully built',
            arm64: 'Successfully built',
            riscv64: 'Successfully built',
          },
        ],
      ],
      endedAfter: 18,
      built: ['libgreet1', 'libgreet-dev', 'libgreet-doc', 'libgreet1-dbgsym'],
      logs: [
        await putLog(
          store,
          'builds/greet/libgreet_4.1-2ubuntu1_amd64.build.log',
          shortLog('amd64'),
        ),
      ],
    },
    nowMs,
  );
  const other = await addPastTicket(
    rows,
    {
      owner: 'carol@example.com',
      title: 'Rebuild the desktop against the new toolchain',
      madeMinutesAgo: 95,
      way: [{ to: 200, minutesAgo: 90, by: 'carol@example.com' }],
      packages: [
        { name: 'panel', version: '3.2-1' },
        { name: 'libpixel', version: '1.4-7' },
      ],
    },
    nowMs,
  );
  const dependencyWait = await addPastBuild(
    rows,
    {
      ticketId: other,
      name: 'panel',
      version: '3.2-1',
      requestedMinutesAgo: 52,
      moments: [
        [1, { amd64: 'Needs building', arm64: 'Needs building' }],
        [3, { amd64: 'Currently building', arm64: 'Dependency wait' }],
        [12, { amd64: 'Successfully built', arm64: 'Dependency wait' }],
      ],
      dependencies: 'libpixel-dev (>= 1.5)',
    },
    nowMs,
  );
  const cancelled = await addPastBuild(
    rows,
    {
      ticketId: other,
      name: 'libpixel',
      version: '1.4-7',
      requestedMinutesAgo: 80,
      moments: [
        [1, { amd64: 'Currently building' }],
        [5, { amd64: 'Cancelled build' }],
      ],
      endedAfter: 6,
      cancelledBy: 'carol@example.com (request 7f3a)',
      failure: { class: 'cancelled', message: 'carol@example.com (request 7f3a) asked for it' },
    },
    nowMs,
  );
  const queued = await addPastBuild(
    rows,
    {
      ticketId: other,
      name: 'panel',
      version: '3.2-1',
      requestedMinutesAgo: 2,
      moments: [],
      isUndispatched: true,
    },
    nowMs,
  );
  const troubled = await addPastBuild(
    rows,
    {
      ticketId: other,
      name: 'libpixel',
      version: '1.4-7',
      requestedMinutesAgo: 16,
      moments: [],
      trouble: {
        step: 'uploadSource',
        message: 'connect ECONNREFUSED 203.0.113.9:21',
        tries: 7,
        sinceMinutesAgo: 11,
      },
    },
    nowMs,
  );
  const nasty = await addPastTicket(
    rows,
    {
      owner: 'eve@example.com',
      title: `${NASTY} <img src=x onerror=alert(2)>`,
      description: `"'><svg onload=alert(3)> & ${NASTY}`,
      bug: 'javascript:alert(4)',
      madeMinutesAgo: 30,
      way: [{ to: 200, minutesAgo: 20, by: NASTY, why: `because ${NASTY}` }],
      packages: [{ name: NASTY, version: NASTY, source: 'javascript:alert(5)' }],
    },
    nowMs,
  );
  const longLog = await addPastBuild(
    rows,
    {
      ticketId: nasty,
      name: 'kernel',
      version: '6.11.0-9',
      by: NASTY,
      ppa: 'ppa:eve/<b>bold</b>',
      requestedMinutesAgo: 28,
      moments: [
        [1, { amd64: 'Currently building' }],
        [8, { amd64: 'Failed to build' }],
      ],
      endedAfter: 9,
      logs: [
        await putLog(
          store,
          'builds/long/kernel_6.11.0-9_amd64.build.log',
          hasLongLog ? longLogText() : 'It is long.\n',
        ),
      ],
      failure: {
        class: 'build_failed',
        message: `kernel 6.11.0-9 on amd64: ${NASTY}`,
        package: 'kernel',
        architecture: 'amd64',
        excerpt: `error: ${NASTY}`,
        excerpt_line: FAILING_LINE,
        line: FAILING_LINE,
      },
    },
    nowMs,
  );
  return {
    ticket: { landing, nasty, failed: failedTicket },
    build: { running, failed, completed, cancelled, dependencyWait, queued, troubled, longLog },
    landed: await tellLandings(rows, store, nowMs),
  };
}

const OWNERS = ['ann', 'ben', 'carol', 'dmitri', 'esra', 'fumiko'];
const WORK = [
  'Fix a crash at start-up',
  'New upstream release',
  'Security update',
  'Rebuild for the transition',
  'Translations for the release',
  'Drop a patch that upstream took',
  'Support riscv64',
];
const NAMES = [
  'hello',
  'libgreet',
  'panel',
  'libpixel',
  'rocketscience',
  'gradient',
  'weather',
  'notes',
  'clock',
];
const STEPS = [100, 100, 200, 200, 200, 300, 400, 500, 999, 1000, 1000, 1000];

async function addOtherTickets(rows: Rows, tickets: number, nowMs: number): Promise<void> {
  if (tickets === 0) return;
  const values = Array.from({ length: tickets }, (_, index) => {
    const step = STEPS[(index * 7) % STEPS.length];
    const agoMs = (tickets - index) * 37 * 60_000 + 6 * 3_600_000;
    const made = new Date(nowMs - agoMs).toISOString();
    const title = `${NAMES[(index * 5) % NAMES.length]}: ${WORK[(index * 3) % WORK.length]}`;
    const owner = `${OWNERS[index % OWNERS.length]}@example.com`;
    return `('${owner}', '${title}', ${step}, ${step}, '${made}', '${made}')`;
  });
  await rows.query(
    `INSERT INTO ticket (owner, title, current_workflow_step, status, created_at, updated_at) VALUES ${values.join(',')}`,
  );
}

/** A day of builds, so that there is something to expect and to plot. */
async function addNightlyBuilds(rows: Rows, nowMs: number): Promise<void> {
  const ticketId = await addPastTicket(
    rows,
    {
      owner: 'lander@example.com',
      title: 'Nightly rebuild',
      madeMinutesAgo: 1_500,
      way: [{ to: 1000, minutesAgo: 70, by: 'lander' }],
    },
    nowMs,
  );
  const builds = Array.from({ length: 60 }, (_, index): SeededBuild => {
    const name = NAMES[index % 5] ?? 'hello';
    const agoMinutes = 1_420 - index * 23;
    const tookMinutes = 3 + (index % 5) * 2.5 + ((index * 7) % 11) / 4;
    const fails = index % 9 === 4;
    return {
      ticketId,
      name,
      version: `1.${Math.floor(index / 5)}-1`,
      requestedMinutesAgo: agoMinutes,
      moments: [
        [0.5, { amd64: 'Needs building', arm64: 'Needs building' }],
        [1, { amd64: 'Currently building', arm64: 'Currently building' }],
        [1 + tookMinutes, { amd64: 'Successfully built', arm64: 'Currently building' }],
        [
          1.5 + tookMinutes * 1.4,
          {
            amd64: 'Successfully built',
            arm64: fails ? 'Failed to build' : 'Successfully built',
          },
        ],
      ],
      endedAfter: 2 + tookMinutes * 1.4,
      ...(fails
        ? {
            failure: {
              class: 'build_failed',
              message: `${name} on arm64: Failed to build`,
              package: name,
              architecture: 'arm64',
            },
          }
        : {}),
    };
  });
  await addPastBuilds(rows, builds, nowMs);
}

async function putLog(store: DataStore, key: string, text: string): Promise<string> {
  await store.put(key, Readable.from([Buffer.from(text)]));
  return store.urlOf(key);
}

function shortLog(architecture: string): string {
  const lines = Array.from({ length: 620 }, (_, index) => {
    const number = index + 1;
    if (number === 1) return `sbuild (Debian sbuild) 0.85.0 on builder-${architecture}`;
    if (number >= 411 && number < 416) return EXCERPT.split('\n')[number - 411] ?? '';
    if (number % 40 === 0)
      return '+------------------------------------------------------------------------------+';
    if (number % 5 === 0)
      return `[${String(Math.floor(number / 6.3)).padStart(3)}%] Linking CXX static library librocket_part${number}.a`;
    return `[${String(Math.floor(number / 6.3)).padStart(3)}%] Building CXX object src/CMakeFiles/rocketscience.dir/part_${number}.cpp.o`;
  });
  return `${lines.join('\n')}\n`;
}

function longLogText(): string {
  const lines = Array.from({ length: LONG_LOG_LINES }, (_, index) =>
    index + 1 === FAILING_LINE
      ? `drivers/net/ethernet/nasty.c:88:3: error: ${NASTY}`
      : `  CC [M]  drivers/net/ethernet/part_${index + 1}.o`,
  );
  return `${lines.join('\n')}\n`;
}
