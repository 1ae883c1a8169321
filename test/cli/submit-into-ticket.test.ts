import { createHash } from 'node:crypto';
import { call, type Called, type World } from './call.ts';
import { writeUpload } from './write-upload.ts';

const START_MS = Date.parse('2026-01-01T00:00:00.000Z');

type Artifact = { name: string; type: string; reference: string };
type Subticket = {
  id: number;
  current_workflow_step: string;
  status: string;
  replaced_by: string | null;
  created_at: string;
  resource_uri: string;
  source_package_upload: { sourcepackage: { name: string }; version: string };
  artifacts: Artifact[];
};

const SUM_LENGTHS = { 'Checksums-Sha1': 40, 'Checksums-Sha256': 64, Files: 32 };

/** A server that keeps one ticket, and refuses or cuts off what a test names. */
function ticketServer() {
  const subtickets: Subticket[] = [];
  const builds: {
    id: number;
    phase: string;
    failure: object | null;
    finished_at: string | null;
    source_packages: string[];
  }[] = [];
  const landings: { id: number }[] = [];
  const asked: { path: string; body: unknown }[] = [];
  let fault: ((path: string, count: number) => Response | undefined) | undefined;
  const counts = new Map<string, number>();
  let seconds = 0;
  /** Each time that is asked for is a second later. */
  const now = () => new Date(START_MS + (seconds += 1) * 1_000).toISOString();
  const sourceOf = (one: Partial<Subticket>) => one.source_package_upload?.sourcepackage.name;

  const answer = (path: string, body: unknown): object => {
    if (path === '/api/v1/ticket/bundle/' || path === '/api/v1/subticket/') {
      const given = body as { subtickets?: Partial<Subticket>[] } & Partial<Subticket>;
      for (const one of given.subtickets ?? [given]) {
        const id = subtickets.length + 1;
        for (const other of subtickets)
          if (other.status === '999' && sourceOf(other) === sourceOf(one))
            other.replaced_by ??= `/api/v1/subticket/${id}/`;
        subtickets.push({
          id,
          current_workflow_step: '100',
          status: '100',
          replaced_by: null,
          created_at: now(),
          resource_uri: `/api/v1/subticket/${id}/`,
          source_package_upload: { sourcepackage: { name: '' }, version: '' },
          artifacts: [],
          ...one,
        });
      }
      return path.endsWith('/bundle/') ? { id: 7, subtickets, builds } : (subtickets.at(-1) ?? {});
    }
    if (path === '/api/v1/subticketartifact/') {
      const artifact = body as Artifact & { subticket: string };
      subtickets
        .find(({ resource_uri: uri }) => uri === artifact.subticket)
        ?.artifacts.push(artifact);
      return artifact;
    }
    if (path === '/api/v1/build_source') {
      const { source_packages: urls } = body as { source_packages: string[] };
      const id = builds.length + 1;
      builds.push({
        id,
        phase: 'queued',
        failure: null,
        finished_at: null,
        source_packages: urls,
      });
      return { id, ticket_id: 7, source_packages: urls, builds: [] };
    }
    const changed = subtickets.find(({ resource_uri: uri }) => uri === path);
    if (changed && body !== undefined) return Object.assign(changed, body);
    if (path.startsWith('/api/v1/fullticket/')) return { id: 7, subtickets, builds };
    if (path === '/api/v1/landing/') return { meta: {}, objects: landings };
    return { current_workflow_step: '200', status: '200' };
  };

  return {
    subtickets,
    builds,
    /** Those that are under way. */
    landings,
    /** Ends the latest build with a failure. */
    fail: (how = { phase: 'failed', failure: { class: 'key_not_registered' } }) =>
      Object.assign(builds.at(-1) ?? {}, { ...how, finished_at: now() }),
    /** What was written since the last call of this. */
    written: () => asked.splice(0).filter(({ body }) => body !== undefined),
    /** What a request to a path comes to, the first time or later; undefined: what it should. */
    break: (how: typeof fault) => {
      fault = how;
      counts.clear();
    },
    fetch: (async (...given) => {
      const request = new Request(...given);
      const { pathname: path } = new URL(request.url);
      if (request.method === 'PUT') {
        const content = Buffer.from(await request.arrayBuffer());
        const sha256 = createHash('sha256').update(content).digest('hex');
        return Response.json({ url: `https://store.example${path}`, sha256 });
      }
      const text = await request.text();
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      const count = (counts.get(path) ?? 0) + 1;
      counts.set(path, count);
      const broken = request.method === 'GET' ? undefined : fault?.(path, count);
      if (broken) return broken;
      asked.push({ path, body });
      return Response.json(answer(path, body));
    }) satisfies typeof fetch,
  };
}

/** What the `.dsc` of a package says that needs none of the others. */
const LEAF = [
  'Binary: hello',
  'Architecture: any',
  ...(['Checksums-Sha1', 'Checksums-Sha256', 'Files'] as const).map(
    (list) => `${list}:\n ${'0'.repeat(SUM_LENGTHS[list])} 1 x_1.tar.xz`,
  ),
  '',
].join('\n');

const refused = (code: string, detail: string) =>
  Response.json(
    { code, detail, status: 409, hint: 'A hint.', instance: 'urn:airline:request:1' },
    { status: 409 },
  );

function submit(server: { fetch: typeof fetch }, paths: string[], options: string, world?: World) {
  return call(['submit', ...paths, ...options.split(' '), '--no-check'], {
    fetch: server.fetch,
    ...world,
  });
}

/** The call that a hint names. */
const suggested = ({ stderr }: Called) => /`(airline [^`]+)` goes on from here/.exec(stderr)?.[1];

describe('a build that is refused once the ticket is made', () => {
  const TARGET = '--ppa ~team/ubuntu/landing --series zebra --any-series';

  it.each([
    ['', ''],
    [' --queue mine --order dependencies', ' --queue mine --order dependencies'],
    [' --webhook 3', ' --webhook 3'],
  ])('is asked for again as it was, quoted for the shell: "%s"', async (more, repeated) => {
    const server = ticketServer();
    server.break((path) => (path.endsWith('build_source') ? refused('busy', 'No.') : undefined));
    const came = await submit(server, [writeUpload({ control: LEAF }).changes], `${TARGET}${more}`);
    expect(came.code).toBe(5);
    expect(suggested(came)).toBe(
      `airline build request 7 --ppa '~team/ubuntu/landing' --series zebra --archive ubuntu --any-series${repeated}`,
    );
  });

  it('over its PPA or its queue is not asked for again as it was', async () => {
    const server = ticketServer();
    server.break((path) =>
      path.endsWith('build_source') ? refused('target_not_allowed', 'No.') : undefined,
    );
    const came = await submit(server, [writeUpload().changes], TARGET);
    expect(suggested(came)).toContain('airline build request 7 ');
    expect(came.stderr).toContain(
      'goes on from here, with another PPA or queue in place of what is refused.',
    );
  });

  it('of a landing in the pool is not said to need a --ppa where its queue is refused', async () => {
    const server = ticketServer();
    server.break((path) =>
      path.endsWith('/land/') ? refused('target_not_allowed', 'No such queue.') : undefined,
    );
    const options = '--land --target ubuntu --series noble --queue team';
    const came = await submit(server, [writeUpload().changes], options);
    expect(came.stderr).toContain(
      'Ticket 7 has the packages, but no landing was requested: No such queue.',
    );
    expect(came.stderr).toContain(
      '`airline ticket land 7 --target ubuntu --series noble --queue team` goes on from here, with another PPA or queue in place of what is refused.',
    );
    expect(came.stderr).not.toContain('--ppa');
  });

  it('names the files where the ticket has others, too', async () => {
    const server = ticketServer();
    const target = '--ppa team/landing --series bookworm --archive debian';
    expect((await submit(server, [writeUpload({ name: 'first' }).changes], target)).code).toBe(0);
    server.break((path) => (path.endsWith('build_source') ? refused('busy', 'No.') : undefined));
    const came = await submit(server, [writeUpload().changes], `${target} --ticket 7`);
    expect(suggested(came)?.match(/ --source https:\/\/store\.example\/store\/\S+/g)).toHaveLength(
      3,
    );
    expect(suggested(came)).not.toContain('first');
  });

  it('of a landing is asked for with its series that is not known, too', async () => {
    const server = ticketServer();
    server.break((path) => (path.endsWith('/land/') ? refused('target_frozen', 'No.') : undefined));
    const options = '--land --target ~team/ubuntu/landed --series zebra --any-series';
    expect(suggested(await submit(server, [writeUpload().changes], options))).toBe(
      `airline ticket land 7 --target '~team/ubuntu/landed' --series zebra --any-series`,
    );
  });
});

describe('the title of a ticket that nobody gave one', () => {
  const long = 'x'.repeat(89);
  const version = `1.0+${'9'.repeat(80)}`;

  it.each([
    ['the names that fit', ['hello', 'ed'], '1-1', 'hello 1-1, ed 1-1'],
    ['the first of many', ['a1', 'b1', 'c1', 'd1'], '1-1', 'a1 1-1 and 3 others'],
    [
      'the first of three that are too long',
      [`a${long}`, `b${long}`, `c${long}`],
      version,
      `a${long} ${version} and 2 others`,
    ],
    [
      'the first of two that are too long',
      [`a${long}`, `b${long}`],
      version,
      `a${long} ${version} and 1 other`,
    ],
    [
      'the beginning of one that is too long',
      ['hello'],
      `${'9'.repeat(200)}:${'1'.repeat(200)}`,
      `hello ${'9'.repeat(200)}:${'1'.repeat(47)}…`,
    ],
  ])('is %s', async (_, names, ofVersion, title) => {
    const server = ticketServer();
    const uploads = names.map((name) => writeUpload({ name, version: ofVersion }).changes);
    const target = '--ppa team/landing --series bookworm --archive debian';
    expect((await submit(server, uploads, target)).code).toBe(0);
    const [made] = server.written().map(({ body }) => body as { title: string });
    expect(made?.title).toBe(title);
    expect(made?.title.length).toBeLessThanOrEqual(255);
  });
});

describe('a submission whose last answer does not come', () => {
  const BUILD = '--ppa team/landing --series bookworm --archive debian';
  const LANDING = '--land --target debian --series bookworm --archive debian';

  /** Calls as `submit` does; what is sent to a path is done, and then the answer is lost. */
  async function lose(path: string, how: 'at Ctrl-C' | 'on the way', options: string) {
    const server = ticketServer();
    const interruption = new AbortController();
    const came = await submit(server, [writeUpload().changes], options, {
      interruption: interruption.signal,
      sleep: async () => undefined,
      fetch: async (...given) => {
        const { url } = new Request(...given);
        const response = await server.fetch(...given);
        if (!url.endsWith(path)) return response;
        if (how === 'on the way') throw new TypeError('fetch failed');
        interruption.abort();
        throw interruption.signal.reason;
      },
    });
    return { server, came };
  }

  it.each([
    ['at Ctrl-C', 130, 'build', '/build_source', BUILD],
    ['on the way', 6, 'build', '/build_source', BUILD],
    ['at Ctrl-C', 130, 'landing', '/land/', LANDING],
  ] as const)(
    'is not called refused: lost %s it ends with %i, and says how to look for the %s',
    async (how, code, what, path, options) => {
      const { came } = await lose(path, how, options);
      expect(came.code).toBe(code);
      expect(came.stderr).toContain(
        `Ticket 7 has the packages, but it is not known whether the ${what} was requested: `,
      );
      expect(came.stderr).toContain(
        `\`airline ${what} list --ticket 7\` shows whether it was. If not, \`${suggested(came) ?? ''}\` goes on from here.`,
      );
    },
  );

  it.each([
    ['request_in_flight', 'it is not known whether the build was requested: '],
    ['rate_limited', 'no build was requested: '],
  ])('that is answered by %s says "%s"', async (code, words) => {
    const server = ticketServer();
    server.break((path) => (path.endsWith('build_source') ? refused(code, 'No.') : undefined));
    const came = await submit(server, [writeUpload().changes], BUILD);
    expect(came.code).not.toBe(0);
    expect(came.stderr).toContain(`Ticket 7 has the packages, but ${words}`);
  });

  it('of the ticket says how to look for it, and how to go on in it', async () => {
    const { server, came } = await lose('/ticket/bundle/', 'at Ctrl-C', BUILD);
    expect(came.code).toBe(130);
    expect(came.stderr).toContain('It is not known whether the ticket was made: Interrupted.');
    expect(came.stderr).toContain('`airline ticket list --owner ann@example.com` shows whether');
    server.written();
    const next = await submit(server, [writeUpload().changes], `${BUILD} --ticket 7`);
    expect(next.code).toBe(0);
    expect(server.subtickets).toHaveLength(1);
    expect(server.builds).toHaveLength(1);
  });
});

describe('a submission into a ticket that came half through', () => {
  const INTO = '--ticket 7 --ppa team/landing --series bookworm --archive debian';
  const paths = (server: ReturnType<typeof ticketServer>) =>
    server.written().map(({ path }) => path);
  const uploads = [writeUpload().changes, writeUpload({ name: 'ed' }).changes];

  it('says what is missing, and the same call adds that and goes on', async () => {
    const server = ticketServer();
    server.break((path, count) =>
      path.endsWith('/subticketartifact/') && count === 2
        ? refused('conflict', 'The ticket is busy.')
        : undefined,
    );
    const first = await submit(server, uploads, INTO);
    expect(first.code).toBe(5);
    expect(first.stderr).toContain('Ticket 7 does not have all of it yet: The ticket is busy.');
    expect(first.stderr).toContain('hello 2.10-3: not all of its files are there');
    expect(first.stderr).toContain('ed 2.10-3: nothing of it is there');
    expect(first.stderr).toContain('The same call adds what is missing and goes on.');
    expect(paths(server)).toEqual(['/api/v1/subticket/', '/api/v1/subticketartifact/']);

    server.break(undefined);
    const second = await submit(server, uploads, INTO);
    expect(second).toMatchObject({ code: 0 });
    expect(paths(server)).toEqual([
      ...Array.from({ length: 2 }, () => '/api/v1/subticketartifact/'),
      '/api/v1/subticket/',
      ...Array.from({ length: 3 }, () => '/api/v1/subticketartifact/'),
      '/api/v1/build_source',
    ]);
    const references = server.subtickets.map(({ artifacts }) => artifacts.map((one) => one.name));
    expect(references).toEqual([
      ['hello_2.10-3.dsc', 'hello_2.10-3.tar.xz', 'hello_2.10-3_source.changes'],
      ['ed_2.10-3.dsc', 'ed_2.10-3.tar.xz', 'ed_2.10-3_source.changes'],
    ]);
    expect(server.builds[0]?.source_packages).toHaveLength(6);
  });

  it('at Ctrl-C says the same', async () => {
    const server = ticketServer();
    const interruption = new AbortController();
    const { code, stderr } = await submit(server, uploads, INTO, {
      interruption: interruption.signal,
      fetch: async (...given) => {
        if (new Request(...given).url.endsWith('/subticketartifact/')) interruption.abort();
        interruption.signal.throwIfAborted();
        return server.fetch(...given);
      },
    });
    expect(code).toBe(130);
    expect(stderr).toContain('Ticket 7 does not have all of it yet');
    expect(stderr).toContain('The same call adds what is missing and goes on.');
  });

  it('is not taken up with other files of the same version', async () => {
    const server = ticketServer();
    server.break((path, count) =>
      path.endsWith('/subticketartifact/') && count === 2 ? refused('conflict', 'No.') : undefined,
    );
    await submit(server, uploads.slice(0, 1), INTO);
    server.break(undefined);
    const other = writeUpload({ control: 'Binary: hello\n' }).changes;
    const { code, stderr } = await submit(server, [other], INTO);
    expect(code).toBe(5);
    expect(stderr).toContain(
      'Ticket 7 already has hello 2.10-3 (subticket 1), which has not failed.',
    );
    // The list of its files is not complete: nobody is sent to build it.
    expect(stderr).not.toContain('airline build request');
    expect(stderr).toContain('airline subticket set-step 1 failed');
  });

  it('that was built, or is, is a conflict as before', async () => {
    const server = ticketServer();
    await submit(server, uploads, INTO);
    server.written();
    const { code, stderr } = await submit(server, uploads, INTO);
    expect({ code, written: paths(server) }).toEqual({ code: 5, written: [] });
    expect(stderr).toContain('Its build 1 is queued.');
  });

  it('with the files of a build that failed before does not take that for its own', async () => {
    const server = ticketServer();
    const again = () => submit(server, uploads.slice(0, 1), INTO);
    await again();
    server.fail();
    server.break((path) => (path.endsWith('build_source') ? refused('busy', 'No.') : undefined));
    expect((await again()).code).toBe(5);
    expect(server.subtickets.map(({ status }) => status)).toEqual(['999', '100']);
    server.written();

    server.break(undefined);
    expect(await again()).toMatchObject({ code: 0 });
    expect(paths(server)).toEqual(['/api/v1/build_source']);
    expect(server.subtickets).toHaveLength(2);
    expect(server.builds).toHaveLength(2);

    server.fail();
    await again();
    expect(server.subtickets.map(({ status }) => status)).toEqual(['999', '999', '100']);
  });

  it.each([
    ['failed', 'key_not_registered', 'failed'],
    ['cancelled', 'cancelled', 'was cancelled'],
  ])('in the place of a build that %s says so', async (phase, failureClass, said) => {
    const server = ticketServer();
    await submit(server, uploads.slice(0, 1), INTO);
    server.fail({ phase, failure: { class: failureClass } });
    server.written();
    await submit(server, [writeUpload({ version: '2.10-4' }).changes], INTO);
    expect(server.written()).toContainEqual({
      path: '/api/v1/subticket/1/',
      body: expect.objectContaining({ reason: `build 1 ${said}; 2.10-4 takes its place` }),
    });
  });

  it('in the place of what failed waits for the landing that is under way, and fails nothing', async () => {
    const server = ticketServer();
    await submit(server, uploads, INTO);
    server.fail();
    server.written();
    server.landings.push({ id: 4 });
    const { code, stderr } = await submit(server, uploads, INTO);
    expect({ code, written: paths(server) }).toEqual({ code: 5, written: [] });
    expect(stderr).toContain('Landing 4 of ticket 7 is under way, so no subticket is replaced.');
    expect(stderr).toContain('`airline landing cancel 4` ends it');
    server.landings.pop();
    expect(await submit(server, uploads, INTO)).toMatchObject({ code: 0 });
  });

  it('of another version is sent to the build of the one that is there', async () => {
    const server = ticketServer();
    server.break((path) => (path.endsWith('build_source') ? refused('busy', 'No.') : undefined));
    await submit(server, uploads, INTO);
    const { stderr } = await submit(server, [writeUpload({ version: '2.10-4' }).changes], INTO);
    expect(stderr).toContain(
      'It has not been built yet: `airline build request 7` builds what the ticket has.',
    );
  });
});
