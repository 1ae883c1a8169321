import { call, jsonLines } from './call.ts';

const SOURCE = 'https://store.example/hello_1.0_source.changes';

const MOVED_MEANWHILE = {
  code: 'precondition_failed',
  detail: 'It was changed meanwhile.',
  status: 412,
  hint: '',
};

/** An API of one ticket that somebody else has moved just now, and of its subticket. */
async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === '/api/v1/build_source')
    return Response.json({
      id: 5,
      ticket_id: 7,
      source_packages: [SOURCE],
      state: 'queued',
      builds: [],
    });
  if (pathname === '/api/v1/fullticket/7/')
    return Response.json({
      id: 7,
      subtickets: [
        { id: 9, replaced_by: null, artifacts: [{ type: 'SPU', reference: SOURCE }] },
        { id: 10, replaced_by: null, artifacts: [] },
      ],
    });
  if (request.method === 'PATCH' && pathname === '/api/v1/ticket/7/')
    return Response.json(MOVED_MEANWHILE, { status: 412 });
  return Response.json(
    { current_workflow_step: '100', status: '100' },
    { headers: { etag: '"1"' } },
  );
}

describe('airline build request', () => {
  test('moves what it can to Package Building, and says what it could not', async () => {
    const written: string[] = [];
    const { code, stderr } = await call(
      'build request 7 --ppa a/b --series noble --any-series'.split(' '),
      {
        fetch: async (...given: Parameters<typeof fetch>) => {
          const request = new Request(...given);
          if (request.method === 'PATCH') written.push(new URL(request.url).pathname);
          return answer(request);
        },
      },
    );
    expect(stderr).toContain('The ticket 7 was not moved to 200 Package Building');
    expect(written).toEqual(['/api/v1/ticket/7/', '/api/v1/subticket/9/']);
    expect(code).toBe(0);
  });

  test.each([
    ['', { progress_trigger: 'airline-cli-ticket-7' }],
    [' --webhook 3', { progress_trigger: null, webhook_id: 3 }],
    [' --webhook 3 --queue q', { progress_trigger: 'q', webhook_id: 3 }],
  ])('reports to what is named: "%s"', async (named, reported) => {
    let asked: unknown;
    await call(`build request 7 --ppa a/b --series noble --any-series${named}`.split(' '), {
      fetch: async (...given: Parameters<typeof fetch>) => {
        const request = new Request(...given);
        if (request.method === 'POST') asked = await request.clone().json();
        return answer(request);
      },
    });
    expect(asked).toMatchObject(reported);
  });

  test('with --wait --json prints the build, then each event on a line, as submit does', async () => {
    const last = { seq: 1, message: 'COMPLETE', exit: true, builds: [], logs: [], attempt: 1 };
    const { code, stdout } = await call(
      'build request 7 --ppa a/b --series noble --any-series --wait --json'.split(' '),
      {
        fetch: async (...given: Parameters<typeof fetch>) => {
          const request = new Request(...given);
          if (!request.url.endsWith('/events/')) return answer(request);
          return new Response(`id: 1\ndata: ${JSON.stringify(last)}\n\n`, {
            headers: { 'content-type': 'text/event-stream' },
          });
        },
      },
    );
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toEqual([expect.objectContaining({ id: 5, ticket_id: 7 }), last]);
  });
});

describe('a request of a build whose answer does not come', () => {
  const TARGET = '--ppa a/b --series noble';
  const lose = (command: string, fail: () => Response) =>
    call(`${command} ${TARGET}`.split(' '), {
      sleep: async () => undefined,
      fetch: async (...given: Parameters<typeof fetch>) => {
        const request = new Request(...given);
        return request.method === 'POST' ? fail() : answer(request);
      },
    });
  const lost = () => {
    throw new TypeError('fetch failed');
  };
  const refused = () =>
    Response.json(
      { code: 'branch_busy', detail: 'It is being built.', status: 409, hint: '' },
      { status: 409 },
    );

  test.each([
    ['build request 7', 'airline build list --ticket 7'],
    ['subticket build 9', `airline build list ${TARGET}`],
  ])('%s says that it may be there, and what shows it', async (command, list) => {
    const { code, stderr } = await lose(command, lost);
    expect(code).toBe(6);
    expect(stderr).toContain('It is not known whether the build was requested: ');
    expect(stderr).toContain(`\`${list}\` shows whether it was. If not, make the same call again.`);
  });

  test.each(['build request 7', 'subticket build 9'])(
    '%s tells a refusal as it is',
    async (command) => {
      const { code, stderr } = await lose(command, refused);
      expect({ code, stderr }).toEqual({ code: 5, stderr: expect.not.stringContaining('known') });
      expect(stderr).toContain('It is being built.');
    },
  );
});
