import { createHash } from 'node:crypto';
import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import type { LandingEventBody, LandingPart } from '../../domain/landings/landing.ts';
import { landingFailureOf } from '../../domain/landings/landing-failure.ts';
import { COMMITS } from '../support/rows.ts';
import { call, jsonLines, slowTime } from './call.ts';
import { json, useScript, type Answer } from './script-server.ts';
import { writeUpload } from './write-upload.ts';

const AT = '2026-01-01T00:00:00.000Z';
const PART = {
  subticket_id: 9,
  source: 'hello',
  version: '2.10-3',
  state: 'waiting',
  build_id: null,
} as const;
const BUILDING: LandingPart = { ...PART, state: 'building', build_id: 12 };
const BUILT: LandingPart = { ...PART, state: 'built', build_id: 12 };
const BUILD_FAILED = landingFailureOf('build_failed', 'building', 'build 12 of hello failed: no', {
  package: 'hello',
  build_id: 12,
});

const LANDING = {
  id: 7,
  ticket_id: 3,
  ppa: 'ppa:team/landing',
  archive: 'debian',
  series: 'bookworm',
  target: '~team/debian/landed',
  target_series: 'bookworm',
  pocket: 'Release',
  progress_trigger: 'airline-ticket-3',
  phase: 'queued' as LandingPhase,
  phase_since: AT,
  parts: [PART] as LandingPart[],
  ahead: [{ landing_id: 5, ticket_id: 2 }],
  failure: null,
  decision: null,
  paused_at: null,
  paused_by: null,
  attempt: 1,
  requested_at: AT,
  requested_by: 'ann',
  cancel_requested_at: null,
  cancel_requested_by: null,
  finished_at: null as string | null,
  workflow_id: 'land-7-ticket-3',
  workflow_url: null,
};

const PAUSED = { paused_at: AT, paused_by: 'ann' };

const COPY_REFUSED = landingFailureOf('copy_refused', 'publishing', 'ed: debian has 1.3');

const proposal = (id: number, branch: string, status: string, step = '1000') => ({
  id,
  resource_uri: `/api/v1/subticket/${id}/`,
  source_package_upload: { version: '1.1', sourcepackage: { name: 'hello' } },
  current_workflow_step: step,
  merge_proposal: { status, ...mergeOf(branch) },
});
const mergeOf = (branch: string) => ({
  source_repository: 'https://git.example.org/hello.git',
  source_branch: branch,
  target_branch: 'main',
  target_repository: 'https://git.example.org/hello.git',
});
/** A build of the proposal of subticket 1. */
const buildOf = (id: number, version: string, merge: object) => ({
  id,
  subticket: '/api/v1/subticket/1/',
  source_packages: [`https://store.example.org/${id}/hello_${version}_source.changes`],
  merge,
});
/** Of a ticket whose subticket 1 alone has a branch that landing 7 has published and nobody has merged. */
const PROPOSALS = {
  parts: [1, 2, 3, 5].map((id) => ({ ...PART, subticket_id: id, state: 'published' })),
  ofTicket: json(200, {
    subtickets: [
      proposal(1, 'fix', 'approved'),
      proposal(2, 'done', 'merged'),
      { id: 3, current_workflow_step: '1000', merge_proposal: null },
      proposal(4, 'of-another-landing', 'approved'),
      proposal(5, 'not-published', 'approved', '999'),
    ],
    builds: [
      // The proposal names another branch since, and a later build made another version.
      buildOf(8, '1.1', { ...mergeOf('first'), commits: COMMITS }),
      buildOf(9, '1.2', mergeOf('fix')),
    ],
  }),
  said: /Merge now +123456789012 of first into main of https:\/\/git\.example\.org\/hello\.git\n/,
};
/** Of a ticket that has nothing to merge. */
const NO_PROPOSALS = json(200, { subtickets: [], builds: [] });

const ESTIMATE = {
  start_at: '2026-01-01T02:00:00.000Z',
  complete_at: '2026-01-01T05:30:00.000Z',
  based_on: 12,
  reason: null,
};

const isAt = (phase: LandingPhase, more: object = {}, status = 200) =>
  json(status, { ...LANDING, ahead: [], phase, ...more });
const ended = (phase: LandingPhase, more: object = {}) => isAt(phase, { finished_at: AT, ...more });
const page = (objects: readonly object[], next: string | null = null, total = objects.length) =>
  json(200, {
    meta: { total_count: total, offset: 0, limit: 20, next, previous: null },
    objects,
  });
const event = (
  seq: number,
  phase: LandingPhase,
  more: Partial<LandingEventBody> = {},
): Partial<LandingEventBody> => ({
  seq,
  landing_id: 7,
  ticket_id: 3,
  attempt: 1,
  phase,
  timestamp: AT,
  parts: [PART],
  ...more,
});
const refused = (status: number, code: string) =>
  json(status, { code, detail: 'No.', status, hint: 'A hint.', instance: 'urn:airline:request:1' });
const away: Answer = (request) => request.socket.destroy();

const server = useScript();
const run = (line: string, world: Parameters<typeof call>[1] = {}) =>
  call(line.split(' '), { env: server.environment, ...slowTime(), ...world });

/** What was sent with the requests that change something. */
function sent(): { bodies: unknown[]; fetch: typeof fetch } {
  const bodies: unknown[] = [];
  return {
    bodies,
    fetch: async (...given) => {
      const request = new Request(...given);
      if (request.method === 'POST')
        bodies.push(JSON.parse((await request.clone().text()) || 'null') as unknown);
      return fetch(request);
    },
  };
}

describe('airline ticket land', () => {
  const LAND = 'ticket land 3 --target ppa:team/landed --series bookworm --archive debian';

  it('asks for the landing with what was given, and says how to follow it', async () => {
    server.play(isAt('queued', {}, 202));
    const { bodies, fetch } = sent();
    const { code, stdout } = await run(`${LAND} --ppa team/silo --pocket Release --webhook 4`, {
      fetch,
    });
    expect({ code, path: server.requests[0]?.path }).toEqual({
      code: 0,
      path: '/api/v1/ticket/3/land/',
    });
    expect(bodies).toEqual([
      {
        target: 'ppa:team/landed',
        series: 'bookworm',
        archive: 'debian',
        ppa: 'team/silo',
        pocket: 'Release',
        webhook_id: 4,
      },
    ]);
    expect(stdout).toBe(
      'Landing 7 of ticket 3 requested.\n`airline landing watch 7` follows it.\n',
    );
  });

  it.each(['noble', 'bookworm'])(
    'leaves the distribution to the PPA of the ticket, where nothing names one: %s may be of it',
    async (series) => {
      server.play(isAt('queued', {}, 202));
      const { bodies, fetch } = sent();
      const line = `ticket land 3 --target ppa:team/landed --series ${series}`;
      expect((await run(line, { fetch })).code).toBe(0);
      expect(bodies).toEqual([{ target: 'ppa:team/landed', series }]);
    },
  );

  it('prints the id alone with --quiet, and the landing with --json', async () => {
    server.play(isAt('queued', {}, 202));
    expect((await run(`${LAND} --quiet`)).stdout).toBe('7\n');
    expect(JSON.parse((await run(`${LAND} --json`)).stdout)).toMatchObject({ id: 7 });
  });

  it.each([
    ['a series that nobody knows', LAND.replace('bookworm', 'bookwurm'), 'Did you mean bookworm'],
    [
      'a series that no PPA of the ticket can have',
      'ticket land 3 --target ppa:team/landed --series bookwurm',
      'Neither debian nor ubuntu has a series "bookwurm".',
    ],
    ['a pocket that is none', `${LAND} --pocket Elsewhere`, 'Release, Security, Updates'],
    ['no target', 'ticket land 3 --series noble', "Required option '--target"],
  ])('refuses %s before it asks anybody', async (_, line, said) => {
    server.play(isAt('queued', {}, 202));
    const { code, stderr } = await run(line);
    expect({ code, asked: server.requests.length }).toEqual({ code: 2, asked: 0 });
    expect(stderr).toContain(said);
  });

  it('ends with 5 where the ticket cannot be landed, and says why', async () => {
    server.play(refused(409, 'not_landable'));
    expect(await run(LAND)).toMatchObject({ code: 5, stderr: expect.stringContaining('A hint.') });
  });

  it('waits to the end, says who has to do what, and goes on waiting', async () => {
    const decision = { decision: 'approve', by: 'bea', comment: 'tried by hand' } as const;
    server.play(
      isAt('queued', {}, 202),
      isAt('queued'),
      page([event(1, 'queued', { ahead: [{ landing_id: 5, ticket_id: 2 }] })]),
      isAt('building'),
      page([event(2, 'building', { parts: [BUILDING] })]),
      isAt('approving'),
      page([event(3, 'approving', { parts: [BUILT] })]),
      isAt('approving'),
      page([]),
      ended('complete'),
      page([
        event(4, 'publishing', { parts: [BUILT], decision }),
        event(5, 'complete', { parts: [{ ...BUILT, state: 'published' }], decision, exit: true }),
      ]),
      NO_PROPOSALS,
    );
    const { code, stdout, stderr } = await run(`${LAND} --wait`);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'Landing 7 of ticket 3 requested.',
      '`airline landing watch 7` follows it.',
      '00:00:00Z  queued      waits for landing 5 (ticket 2); hello 2.10-3 waiting',
      '00:00:00Z  building    hello 2.10-3 building (build 12)',
      '00:00:00Z  approving   waits for a person to approve it; hello 2.10-3 built',
      '00:00:00Z  publishing  approved by bea: tried by hand; hello 2.10-3 built',
      '00:00:00Z  complete    hello 2.10-3 published',
      '',
      '✓ Landing 7 is complete: published in ~team/debian/landed bookworm Release.',
      expect.stringMatching(/^ {2}Page {2}http.*\/ticket\/3$/),
      '',
    ]);
    expect(stderr).toBe(
      "Landing 7 waits for a person's decision: `airline landing approve 7 --comment '…'` or `airline landing reject 7 --comment '…'`, with a token of the scope landing:approve.\n",
    );
    expect(server.requests.at(-2)?.path).toBe('/api/v1/landing/7/events/?after=3');
  });

  it.each([
    ['ticket land', `${LAND} --wait --json`, 'complete'],
    ['landing cancel', 'landing cancel 7 --wait --json', 'cancelled'],
    ['landing retry', 'landing retry 7 --wait --json', 'complete'],
  ] as const)('`%s --wait --json` prints the landing, then each event', async (_, line, phase) => {
    const last = page([event(1, phase, { exit: true })]);
    const before = line === `${LAND} --wait --json` ? [] : [page([])];
    server.play(...before, isAt('queued', {}, 202), ended(phase), last, ended(phase));
    const { stdout } = await run(line);
    const [landing, ...events] = jsonLines(stdout);
    expect(landing).toMatchObject({ id: 7, phase: 'queued' });
    expect(events).toEqual([expect.objectContaining({ seq: 1, phase })]);
  });
});

describe('airline submit --land', () => {
  const TARGET = '--land --target ppa:team/landed --series bookworm --archive debian';
  const MADE = json(201, { id: 3, subtickets: [] });
  const stored: typeof fetch = async (...given) => {
    const request = new Request(...given);
    const content = Buffer.from(await request.arrayBuffer());
    const sha256 = createHash('sha256').update(content).digest('hex');
    return Response.json({ url: request.url, sha256 });
  };
  /** Answers for what is stored; all others are the script's. */
  const submit = (options: string) => {
    const { bodies, fetch: send } = sent();
    const ended = call(['submit', writeUpload().changes, ...options.split(' ')], {
      env: server.environment,
      ...slowTime(),
      fetch: async (...given) => (given[1]?.method === 'PUT' ? stored : send)(...given),
    });
    return ended.then((came) => ({ ...came, bodies }));
  };

  it('makes the ticket, and asks for its landing in place of a build', async () => {
    server.play(MADE, isAt('queued', {}, 202));
    const { code, stdout, bodies } = await submit(
      `${TARGET} --no-check --ppa team/silo --pocket Release --json`,
    );
    expect({ code, paths: server.requests.map(({ path }) => path) }).toEqual({
      code: 0,
      paths: ['/api/v1/ticket/bundle/', '/api/v1/ticket/3/land/'],
    });
    expect(bodies[1]).toEqual({
      target: 'ppa:team/landed',
      series: 'bookworm',
      archive: 'debian',
      ppa: 'team/silo',
      pocket: 'Release',
    });
    expect(JSON.parse(stdout)).toMatchObject({ ticket: { id: 3 }, landing: { id: 7 } });
  });

  it('asks no PPA first where none is named, and waits to the end', async () => {
    const failure = landingFailureOf('not_approved', 'approving', 'rejected by bea: no');
    server.play(
      MADE,
      isAt('queued', {}, 202),
      ended('failed', { failure }),
      page([event(1, 'failed', { failure, exit: true })]),
      NO_PROPOSALS,
    );
    const { code, stdout } = await submit(`${TARGET} --wait`);
    expect({ code, path: server.requests[0]?.path }).toEqual({
      code: 1,
      path: '/api/v1/ticket/bundle/',
    });
    expect(stdout).toMatch(/^Ticket 3 .+\/ticket\/3\nLanding 7\n/);
    expect(stdout).toContain('✗ Landing 7 failed: not_approved');
  });

  it('says which call goes on where the landing is refused', async () => {
    server.play(MADE, refused(409, 'target_frozen'));
    const { code, stderr } = await submit(`${TARGET} --target-series trixie`);
    expect(code).toBe(5);
    expect(stderr).toContain('Ticket 3 has the packages, but no landing was requested: ');
    expect(stderr).toContain(
      '`airline ticket land 3 --target ppa:team/landed --series bookworm --target-series trixie --archive debian`',
    );
  });

  it('only looks with --dry-run', async () => {
    server.play(MADE);
    expect(await submit(`${TARGET} --dry-run`)).toMatchObject({ code: 0, bodies: [] });
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['no target', '--land --series bookworm', "Required option '--target"],
    [
      'a series of Debian for a new ticket, which has no PPA of its own',
      '--land --target ppa:team/landed --series bookworm',
      'give --archive debian',
    ],
    ['an order', `${TARGET} --order dependencies`, "'--order <order>' cannot be used with"],
    ['a pocket without it', '--ppa a/b --series noble --pocket Release', 'Add --land.'],
    ['a pocket that is none', `${TARGET} --pocket Elsewhere`, 'Release, Security, Updates'],
  ])('refuses %s before it asks anybody', async (_, options, said) => {
    server.play(MADE);
    const { code, stderr } = await submit(options);
    expect({ code, asked: server.requests.length }).toEqual({ code: 2, asked: 0 });
    expect(stderr).toContain(said);
  });
});

describe('following a landing', () => {
  it('ends with 1 where it failed, with the reason and what to do', async () => {
    server.play(
      ended('failed', { failure: BUILD_FAILED }),
      page([event(1, 'failed', { failure: BUILD_FAILED, exit: true, attempt: 2 })]),
      NO_PROPOSALS,
    );
    const { code, stdout } = await run('landing watch 7');
    expect(code).toBe(1);
    for (const text of [
      '00:00:00Z  attempt 2  failed      build_failed: build 12 of hello failed: no',
      '✗ Landing 7 failed: build_failed',
      'airline build show 12',
      BUILD_FAILED.hint,
      'can help: airline landing retry 7',
    ])
      expect(stdout).toContain(text);
  });

  it('says that the target has moved, and asks for an approval once more then', async () => {
    const target_moved = ['libc6 2.39-2'];
    server.play(
      isAt('approving'),
      page([event(1, 'approving')]),
      isAt('approving', { target_moved }),
      page([
        event(2, 'imaging', { target_moved }),
        event(3, 'testing', { target_moved }),
        event(4, 'approving', { target_moved }),
      ]),
      isAt('approving', { target_moved }),
      page([]),
      ended('complete'),
      page([event(5, 'complete')]),
    );
    const { stdout, stderr } = await run('landing watch 7');
    const said = 'the target got libc6 2.39-2 since the packages were tested';
    expect(stdout.split('\n').filter((line) => line.includes(said))).toEqual([
      `00:00:00Z  imaging     ${said}; hello 2.10-3 waiting`,
    ]);
    expect(stderr.match(/waits for a person's decision/g)).toHaveLength(2);
  });

  it('says once why all is tested on new base images', async () => {
    const first = { planned: 1, finished: 0, left: 0, verdict: 'waits', verdicts: {} } as const;
    const tests = { ...first, renewed: true } as const;
    server.play(
      ended('complete'),
      page([
        event(1, 'testing', { tests: first }),
        event(2, 'imaging', { tests }),
        event(3, 'imaging', { tests }),
        event(4, 'testing', { tests }),
        event(5, 'complete', { tests }),
      ]),
    );
    const { stdout } = await run('landing watch 7');
    const said = 'the base images of before may be older than what was built';
    expect(stdout.split('\n').filter((line) => line.includes(said))).toEqual([
      `00:00:00Z  imaging     ${said}; hello 2.10-3 waiting`,
    ]);
  });

  it.each([
    [12, 'the last 12 landings'],
    [1, 'the last landing'],
  ])('says when it is expected to begin, as its event says: by %i', async (count, what) => {
    const estimate = { ...ESTIMATE, based_on: count };
    server.play(
      ended('complete'),
      page([event(1, 'queued', { ahead: LANDING.ahead, estimate })]),
      NO_PROPOSALS,
    );
    expect((await run('landing watch 7')).stdout).toContain(
      `waits for landing 5 (ticket 2); expected: begins in 2 h, complete in 5 h (based on ${what}); hello`,
    );
  });

  it('says who has paused and resumed it, and waits for no person who has decided', async () => {
    const decision = { decision: 'approve', by: 'bea', comment: 'good' } as const;
    server.play(
      ended('complete'),
      page([
        event(1, 'building', { parts: [BUILDING] }),
        event(2, 'building', { parts: [BUILDING], paused_by: 'ann' }),
        event(3, 'approving', { parts: [BUILT], paused_by: 'ann', decision }),
        event(4, 'approving', { parts: [BUILT], resumed_by: 'rel', decision }),
      ]),
      NO_PROPOSALS,
    );
    const { stdout } = await run('landing watch 7');
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      '00:00:00Z  building    hello 2.10-3 building (build 12)',
      '00:00:00Z  building    paused by ann; hello 2.10-3 building (build 12)',
      '00:00:00Z  approving   paused by ann; approved by bea: good; hello 2.10-3 built',
      '00:00:00Z  approving   resumed by rel; hello 2.10-3 built',
    ]);
  });

  it('calls for no decision once it is being cancelled', async () => {
    const failure = landingFailureOf('cancelled', 'approving', 'cancelled by ann');
    server.play(
      isAt('approving', { cancel_requested_at: AT, cancel_requested_by: 'ann' }),
      page([event(1, 'approving')]),
      ended('cancelled', { failure }),
      page([event(2, 'cancelled', { failure })]),
      NO_PROPOSALS,
    );
    const { code, stdout, stderr } = await run('landing watch 7');
    expect(code).toBe(1);
    expect(stdout).toContain('✗ Landing 7 was cancelled.');
    expect(stderr).not.toContain("waits for a person's decision");
  });

  it('ends with 1 where it was cancelled', async () => {
    const failure = landingFailureOf('cancelled', 'queued', 'cancelled by ann');
    server.play(
      ended('cancelled', { failure }),
      page([event(1, 'cancelled', { failure })]),
      NO_PROPOSALS,
    );
    const { code, stdout } = await run('landing watch 7');
    expect(code).toBe(1);
    expect(stdout).toContain('✗ Landing 7 was cancelled.');
  });

  it.each([
    ['complete', { parts: PROPOSALS.parts }, 0],
    ['failed', { parts: PROPOSALS.parts, failure: COPY_REFUSED }, 1],
  ] as const)('says at its end as %s what somebody has to merge', async (phase, more, exit) => {
    server.play(ended(phase, more), page([event(1, phase)]), PROPOSALS.ofTicket);
    const { code, stdout } = await run('landing watch 7');
    expect(code).toBe(exit);
    expect(stdout).toMatch(PROPOSALS.said);
    server.play(ended(phase, more), page([event(1, phase)]), refused(500, 'internal'));
    expect((await run('landing watch 7 --json')).code).toBe(exit);
    expect(server.requests).toHaveLength(2);
  });

  it('ends as the landing did where its ticket cannot be read', async () => {
    server.play(ended('complete'), page([event(1, 'complete')]), refused(403, 'forbidden'));
    expect(await run('landing watch 7')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('✓ Landing 7 is complete'),
      stderr: expect.stringContaining('`airline landing show 7` says what to merge now.'),
    });
  });

  it('reads the events page by page from the one that was given', async () => {
    const next = '/api/v1/landing/7/events/?after=4&limit=1';
    server.play(
      ended('complete'),
      page([event(4, 'publishing')], next, 5),
      page([event(5, 'complete')], null, 5),
    );
    const { code, stdout } = await run('landing watch 7 --after 3 --json');
    expect({ code, seqs: jsonLines(stdout).map(({ seq }) => seq) }).toEqual({
      code: 0,
      seqs: [4, 5],
    });
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/api/v1/landing/7/',
      '/api/v1/landing/7/events/?after=3',
      '/api/v1/landing/7/events/?after=4',
    ]);
  });

  it('goes on after an outage, which it tells once', async () => {
    server.play(
      isAt('building'),
      page([event(1, 'queued')]),
      away,
      away,
      away,
      ended('complete'),
      page([event(2, 'complete')]),
    );
    const { code, stdout, stderr } = await run('landing watch 7 --json');
    expect({ code, seqs: jsonLines(stdout).map(({ seq }) => seq) }).toEqual({
      code: 0,
      seqs: [1, 2],
    });
    expect(stderr).toMatch(
      /^Lost the connection after event 1 \(.+\); trying again\.\nConnected again; going on after event 1\.\n$/,
    );
  });

  it('ends with 130 at Ctrl-C, and says that the landing goes on', async () => {
    const interruption = new AbortController();
    server.play(isAt('building'), page([event(1, 'building')]));
    const { code, stderr } = await run('landing watch 7', {
      interruption: interruption.signal,
      sleep: async () => interruption.abort(),
    });
    expect(code).toBe(130);
    expect(stderr).toContain('Landing 7 goes on. `airline landing watch 7` comes back to it');
  });

  it('ends with 7 when the time is over', async () => {
    server.play(() => undefined);
    const { code, stderr } = await run('landing watch 7 --timeout 200ms');
    expect(code).toBe(7);
    expect(stderr).toContain('airline landing watch 7');
  });
});

describe('what people decide of a landing', () => {
  it('reject says of a later attempt that what an earlier one has published stays', async () => {
    server.play(isAt('approving', { attempt: 2 }, 202));
    expect((await run('landing reject 7 --comment because')).stdout).toBe(
      'Landing 7 is rejected: it fails, and nothing more is published; what an earlier attempt has published stays published.\n',
    );
  });

  it.each([
    ['approve', 'Landing 7 is approved: what it has built is published next.\n'],
    ['reject', 'Landing 7 is rejected: it fails, and nothing is published.\n'],
  ])('%s is sent with its comment', async (decision, said) => {
    server.play(isAt('approving', {}, 202));
    const { bodies, fetch } = sent();
    const { code, stdout } = await run(`landing ${decision} 7 --comment because`, { fetch });
    expect({ code, stdout }).toEqual({ code: 0, stdout: said });
    expect(server.requests[0]?.path).toBe('/api/v1/landing/7/decide/');
    expect(bodies).toEqual([{ decision, comment: 'because' }]);
  });

  it.each(['approve', 'reject'])(
    '%s names what was looked at, where that is given',
    async (decision) => {
      server.play(isAt('approving', {}, 202));
      const { bodies, fetch } = sent();
      const seen = `--attempt 2 --approving-since ${AT}`;
      await run(`landing ${decision} 7 --comment because ${seen}`, { fetch });
      expect(bodies).toEqual([{ decision, comment: 'because', attempt: 2, approving_since: AT }]);
    },
  );

  it.each(['approve', 'reject'])(
    '%s says that nothing comes of it before it is resumed',
    async (decision) => {
      server.play(isAt('approving', PAUSED, 202));
      expect((await run(`landing ${decision} 7 --comment because`)).stdout).toMatch(
        /\. It is paused by ann: `airline landing resume 7` lets it go on\.\n$/,
      );
    },
  );

  it.each(['approve', 'reject'])('%s needs a comment', async (decision) => {
    const { code, stderr } = await run(`landing ${decision} 7`);
    expect(code).toBe(2);
    expect(stderr).toContain("Required option '--comment");
  });

  it('ends with 4 without the scope, and with 5 where nothing waits for it', async () => {
    server.play(refused(403, 'forbidden'), refused(409, 'conflict'));
    expect((await run('landing approve 7 --comment because')).code).toBe(4);
    expect((await run('landing approve 7 --comment because')).code).toBe(5);
  });

  it('cancel --wait ends with 0 where it was cancelled, and with 1 where it was too late', async () => {
    const failure = landingFailureOf('cancelled', 'queued', 'cancelled by ann');
    for (const [end, code] of [
      [ended('cancelled', { failure }), 0],
      [ended('complete'), 1],
    ] as const) {
      server.play(
        page([event(2, 'building')], null, 2),
        isAt('building', {}, 202),
        end,
        page([]),
        NO_PROPOSALS,
        // What is done with it after its end does not count.
        isAt('queued', { attempt: 2 }),
      );
      expect((await run('landing cancel 7 --wait')).code).toBe(code);
      expect(server.requests.map(({ path }) => path).slice(0, 4)).toEqual([
        '/api/v1/landing/7/events/?limit=1',
        '/api/v1/landing/7/cancel/',
        '/api/v1/landing/7/',
        '/api/v1/landing/7/events/?after=2',
      ]);
    }
  });

  it('cancel --wait says at Ctrl-C that the landing is being cancelled, not that it goes on', async () => {
    const interruption = new AbortController();
    server.play(page([]), isAt('building', {}, 202), isAt('building'), page([]));
    const { code, stderr } = await run('landing cancel 7 --wait', {
      interruption: interruption.signal,
      sleep: async () => interruption.abort(),
    });
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr:
        'airline: Interrupted.\n  → Landing 7 is being cancelled. `airline landing watch 7` comes back to it.\n',
    });
  });

  it('retry says which attempt it is', async () => {
    server.play(isAt('queued', { attempt: 2 }, 202));
    expect((await run('landing retry 7')).stdout).toBe('Landing 7 is retried: attempt 2.\n');
    expect((await run('landing retry 7 --quiet')).stdout).toBe('2\n');
  });
});

describe('landings as they stand', () => {
  it('are a table of at most 80 columns in a terminal', async () => {
    const parts = ['hello', 'a-package-with-a-long-name', 'another-package'].map((source) => ({
      ...PART,
      source,
    }));
    server.play(
      page([
        { ...LANDING, parts },
        { ...LANDING, id: 6, cancel_requested_at: AT },
        { ...LANDING, id: 5, ...PAUSED },
      ]),
    );
    const { code, stdout } = await run(
      'landing list --phase queued,approving --ticket 3 --no-color',
      {
        isTerminal: true,
      },
    );
    expect(code).toBe(0);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBe(80);
    expect(stdout).toMatch(/^6 +3 +cancelling /m);
    expect(stdout).toMatch(/^5 +3 +paused /m);
    expect(server.requests[0]?.path).toBe(
      '/api/v1/landing/?order_by=-id&limit=20&offset=0&ticket=3&phase__in=queued%2Capproving',
    );
  });

  it('are selected by phases that there are', async () => {
    const { code, stderr } = await run('landing list --phase lost');
    expect(code).toBe(2);
    expect(stderr).toContain('The phases are queued, leasing, building');
  });

  it.each([
    ['ppa:Team/landed', { target__startswith: '~team/', target__endswith: '/landed' }],
    ['team/landed', { target__startswith: '~team/', target__endswith: '/landed' }],
    ['~team/debian/landed', { target: '~team/debian/landed' }],
    ['ppa:team/debian/landed', { target: '~team/debian/landed' }],
    ['https://launchpad.net/~t/+archive/ubuntu/p', { target: '~t/ubuntu/p' }],
    ['Ubuntu', { target: 'ubuntu' }],
  ])('are those to a target in any of its forms: %s', async (target, wanted) => {
    server.play(page([LANDING]));
    expect(await run(`landing list --target ${target} --quiet`)).toMatchObject({
      code: 0,
      stdout: '7\n',
    });
    const { searchParams } = new URL(server.requests[0]?.path ?? '', 'http://localhost');
    const filters = [...searchParams].filter(([name]) => name.startsWith('target'));
    expect(Object.fromEntries(filters)).toEqual(wanted);
  });

  it('ends with 2 for a target that is neither a PPA nor a distribution', async () => {
    const { code, stderr } = await run('landing list --target ~team/landed/x/y');
    expect(code).toBe(2);
    expect(stderr).toContain('"~team/landed/x/y" is not a target.');
    expect(stderr).toContain('Enter ppa:owner/name');
  });

  it.each([
    [isAt('queued', { ahead: LANDING.ahead }), /Waits for +landing 5 \(ticket 2\)\n/],
    [
      isAt('queued', {
        estimate: { ...ESTIMATE, start_at: null, complete_at: null, reason: 'New.' },
      }),
      /Expected +not known\. New\.\n/,
    ],
    [
      isAt('imaging', { target_moved: ['libc6 2.39-2'] }),
      /Tested again +The packages are tested again, .+: the target got libc6 2\.39-2 since/,
    ],
    [isAt('approving'), /Waits for +a person's decision: `airline landing approve 7/],
    [isAt('building', PAUSED), /Paused +.+ by ann: `airline landing resume 7` lets it go on\n/],
    [isAt('building', PAUSED), /Phase +building for /],
    [isAt('building', { parts: [BUILDING] }), /\nhello +2\.10-3 +building +12 +9\n/],
    [
      isAt('publishing', { decision: { decision: 'approve', by: 'bea', comment: 'good' } }),
      /Decision +approved by bea: good\n/,
    ],
    [ended('failed', { failure: BUILD_FAILED }), /✗ Landing 7 failed: build_failed\n/],
  ])('show says what there is to know (%#)', async (answer, said) => {
    server.play(answer, NO_PROPOSALS);
    const { code, stdout } = await run('landing show 7');
    expect(code).toBe(0);
    expect(stdout).toMatch(said);
    server.play(answer);
    expect((await run('landing show 7 --quiet')).stdout).toMatch(/^[a-z]+\n$/);
  });

  it.each([
    [
      'is paused',
      isAt('building', { ...PAUSED, waits_for: 'a PPA', estimate: ESTIMATE }),
      /Waits for|Expected/,
    ],
    ['was paused when it ended', ended('failed', { ...PAUSED, failure: BUILD_FAILED }), /Paused/],
  ])('show says of one that %s nothing that does not hold', async (_, answer, said) => {
    server.play(answer, NO_PROPOSALS);
    expect((await run('landing show 7')).stdout).not.toMatch(said);
  });

  it('says that the workflow of one fails, since when and why; so does a wide list', async () => {
    const trouble = { step: 'workflow', message: 'Nondeterminism error', tries: 4, since: AT };
    server.play(isAt('approving', { trouble }), page([{ ...LANDING, trouble }]));
    expect((await run('landing show 7')).stdout).toMatch(
      /Last error +Its workflow fails, 4 tries in .+: Nondeterminism error\n/,
    );
    expect((await run('landing list --output wide')).stdout).toContain('Nondeterminism error');
  });

  it.each([
    ['that is complete', ended('complete', { parts: PROPOSALS.parts })],
    ['that failed later', ended('failed', { parts: PROPOSALS.parts, failure: COPY_REFUSED })],
  ])('say of one %s which merge proposals somebody has to merge', async (_, answer) => {
    server.play(answer, PROPOSALS.ofTicket);
    expect((await run('landing show 7')).stdout).toMatch(PROPOSALS.said);
    expect(server.requests[1]?.path).toBe('/api/v1/fullticket/3/');
  });

  it('say of no merge proposal that it has to be merged while they are under way', async () => {
    server.play(isAt('publishing', { parts: PROPOSALS.parts }), PROPOSALS.ofTicket);
    expect((await run('landing show 7')).stdout).not.toContain('Merge now');
  });

  it.each([
    ['--quiet', /^complete\n$/],
    ['--json', /"phase":"complete"/],
  ])('are shown with %s without their tickets, which may not be readable', async (form, said) => {
    server.play(ended('complete'), refused(500, 'internal'));
    expect(await run(`landing show 7 ${form}`)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(said),
    });
    expect(server.requests.map(({ path }) => path)).toEqual(['/api/v1/landing/7/']);
  });
});
