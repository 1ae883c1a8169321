import { architectureBuild, report } from '../../support/rows.ts';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const targets = { ppas: [] as string[], queuePrefixes: [] as string[] };
const api = useApi({ targets });
const world = createWorld(api);
let ticketId: number;
beforeAll(async () => {
  ticketId = (await world.ticket()).id;
});

const STORE = 'http://127.0.0.1:9000/files';
const HELLO = [
  `${STORE}/hello_2.10.orig.tar.gz`,
  `${STORE}/hello_2.10-3.debian.tar.xz`,
  `${STORE}/hello_2.10-3.dsc`,
  `${STORE}/hello_2.10-3_source.buildinfo`,
  `${STORE}/hello_2.10-3_source.changes`,
];
const CHECKED = {
  source: 'hello',
  version: '2.10-3',
  files: [{ name: 'hello_2.10-3.dsc', sha256: '0'.repeat(64), size: 812 }],
  signed_by: null,
  changed_by: 'ann@example.com',
};
const request = (fields: Record<string, unknown> = {}) =>
  world.buildRequest({ id: ticketId }, { source_packages: HELLO, cancel_url: null, ...fields });
const without = (field: string) =>
  Object.fromEntries(Object.entries(request()).filter(([name]) => name !== field));
const post = (body: unknown) => world.post('build_source', body);

describe('a retry', () => {
  it('is refused while the build is under way', async () => {
    const { id } = await world.build({ id: ticketId });
    await report(api.now.database, { id }, 'INPROGRESS');
    expect(await world.post(`build/${id}/retry/`, {})).toMatchObject({
      status: 409,
      json: { code: 'conflict' },
    });
  });

  it('is of what has failed: another choice is refused', async () => {
    const { id } = await world.build({ id: ticketId });
    const answer = await world.post(`build/${id}/retry/`, { only: 'all' });
    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_field' } });
    expect(Object.keys(answer.json.fields)).toEqual(['only']);
  });

  /** A build of hello, which was built on amd64 and nowhere else. */
  const failedBuild = async () => {
    const { id } = await world.build({ id: ticketId });
    await report(api.now.database, { id }, 'FAILURE', {
      builds: [
        architectureBuild(),
        architectureBuild({ architecture: 'arm64', buildstate: 'Failed to build' }),
        architectureBuild({ architecture: 'riscv64', buildstate: 'Dependency wait' }),
      ],
    });
    return id as number;
  };

  it.each([
    ['no body', undefined],
    ['an empty body', {}],
    ['nulls alone', { only: null, architectures: null }],
  ])('with %s is of all that has failed', async (_what, body) => {
    const id = await failedBuild();
    expect(await world.post(`build/${id}/retry/`, body)).toMatchObject({
      status: 202,
      json: { attempt: 2, retry_architectures: null },
    });
  });

  it('is the same request without a body and with an empty one', async () => {
    const id = await failedBuild();
    const key = { 'idempotency-key': `retry-of-${id}` };
    const first = await world.post(`build/${id}/retry/`, undefined, key);
    expect(first.status).toBe(202);
    expect((await world.post(`build/${id}/retry/`, {}, key)).text).toBe(first.text);
  });

  it('of some architectures keeps which, for that attempt alone', async () => {
    const id = await failedBuild();
    const first = await world.post(`build/${id}/retry/`, { architectures: ['arm64', 'arm64'] });
    expect(first).toMatchObject({ status: 202, json: { retry_architectures: ['arm64'] } });
    const { Build } = api.now.database;
    const row = await Build.findByPk(id, { rejectOnEmpty: true });
    expect(row.toRequest()).toMatchObject({ retryArchitectures: ['arm64'] });
    await report(api.now.database, { id }, 'FAILURE', { attempt: 2 });

    const second = await world.post(`build/${id}/retry/`, {});
    expect(second).toMatchObject({ status: 202, json: { retry_architectures: null } });
    expect((await row.reload()).toRequest()).not.toHaveProperty('retryArchitectures');
    const { json } = await world.get(`build/${id}/attempts/`);
    const shown = json.objects.map((one: Record<string, unknown>) => one['retry_architectures']);
    expect(shown).toEqual([null, ['arm64'], null]);
  });

  it.each([
    [['s390x'], /has no build on s390x; it failed on arm64, riscv64\.$/],
    [['arm64', 'amd64'], /did not fail on amd64; it failed on arm64, riscv64\.$/],
    [[], /at least one architecture/],
    ['arm64', /in a list/],
    [['../amd64'], /such as amd64/],
    [Array<string>(33).fill('arm64'), /at most 32/],
  ])('of architectures %j is refused', async (architectures, problem) => {
    const id = await failedBuild();
    const answer = await world.post(`build/${id}/retry/`, { architectures });
    expect(answer).toMatchObject({
      status: 400,
      json: { code: 'invalid_field', hint: expect.any(String) },
    });
    expect(answer.json.fields).toEqual({ architectures: [expect.stringMatching(problem)] });
    expect((await world.get(`build/${id}/`)).json).toMatchObject({ attempt: 1, state: 'failed' });
  });

  it('of some architectures needs all packages in the PPA, unless they come in order', async () => {
    const source_packages = [...HELLO, `${STORE}/sl_5.02-1_source.changes`];
    const retryOf = async (order: 'dependencies' | null) => {
      const { id } = await world.build({ id: ticketId }, { source_packages, order });
      const builds = [architectureBuild({ buildstate: 'Failed to build' })];
      await report(api.now.database, { id }, 'FAILURE', { builds });
      return world.post(`build/${id}/retry/`, { architectures: ['amd64'] });
    };
    const refused = await retryOf(null);
    expect(refused).toMatchObject({ status: 400, json: { code: 'invalid_field' } });
    expect(refused.json.error).toMatch(/leave architectures out/);
    expect((await retryOf('dependencies')).status).toBe(202);
  });
});

describe('a target that is not allowed', () => {
  afterEach(() => void Object.assign(targets, { ppas: [], queuePrefixes: [] }));
  const refused = { status: 403, json: { code: 'target_not_allowed' } };

  it('takes no build, no retry and no check of an upload', async () => {
    const { id } = await world.build({ id: ticketId });
    await report(api.now.database, { id }, 'FAILURE');
    targets.ppas = ['~somebody/*'];

    expect(await post(request())).toMatchObject(refused);
    expect(await world.post(`build/${id}/retry/`, {})).toMatchObject(refused);
    const check = { ppa: 'ppa:airline/demo', series: 'sid', packages: [CHECKED] };
    expect(await world.post('check_upload', check)).toMatchObject(refused);
    targets.ppas = ['~airline/*'];
    expect((await world.post('check_upload', check)).status).toBe(200);
    expect((await world.post(`build/${id}/retry/`, {})).status).toBe(202);
  });

  it('is a queue without the prefix, too', async () => {
    targets.queuePrefixes = ['airline-', 'lander.'];

    expect(await post(request({ progress_trigger: 'billing' }))).toMatchObject(refused);
    expect((await post(request({ progress_trigger: 'airline-billing' }))).status).toBe(202);
  });
});

describe('a build request', () => {
  it('is refused with its numbers where no workflow could carry it to its end', async () => {
    const urls = Array.from({ length: 250 }, (_, at) => `${STORE}/p${at}_1-1_source.changes`);
    const answer = await post(request({ source_packages: urls }));
    expect(answer).toMatchObject({
      status: 413,
      json: {
        code: 'build_too_large',
        error: expect.stringMatching(
          /would carry \d+ bytes; the limit is 1572864: 250 source packages with 250 files, whose URLs have \d+ characters/,
        ),
      },
    });
  });

  it('is accepted with 202, its resource and its address', async () => {
    const changes = api.now.dispatchWakes();
    const answer = await post({ ...request(), colour: 'ignored' });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('location')).toBe(answer.json.resource_uri);
    expect(answer.json).toMatchObject({
      ...request(),
      ticket: `/api/v1/ticket/${ticketId}/`,
      state: 'queued',
      landing: null,
      builds: [],
      logs: [],
      failure: null,
      workflow_id: `build-${answer.json.id}-ticket-${ticketId}-hello`,
      workflow_url: `http://temporal.example/namespaces/default/workflows/build-${answer.json.id}-ticket-${ticketId}-hello`,
      events: `/api/v1/build/${answer.json.id}/events/`,
      request_id: answer.headers.get('x-request-id'),
      created_at: expect.any(String),
      dispatched_at: null,
      finished_at: null,
    });
    expect(api.now.dispatchWakes()).toBe(changes + 1);
    expect((await api.now.call('GET', answer.json.resource_uri)).json).toEqual(answer.json);
    const list = await world.get(`build/?ticket_id=${ticketId}&state=queued`);
    expect(list.json.objects).toContainEqual(answer.json);
    const full = await world.get(`fullticket/${ticketId}/`);
    expect(full.json.builds).toContainEqual(answer.json);
  });

  it.each([
    ['with an empty archive', { archive: '' }, { archive: 'ubuntu' }],
    [
      'without archive and cancel_url',
      { archive: undefined, cancel_url: undefined },
      { archive: 'ubuntu', cancel_url: null },
    ],
    [
      'with a cancel URL',
      { cancel_url: 'https://store.example:8443/ci' },
      { cancel_url: 'https://store.example:8443/ci' },
    ],
    ['with an order', { order: 'dependencies' }, { order: 'dependencies', sequence: [] }],
    ['with no order', { order: null }, { order: null }],
    ['with the ticket as text', { ticket_id: '1' }, { ticket_id: 1 }],
    ['with a series as people type it', { series: ' Bookworm\t' }, { series: 'bookworm' }],
    ['with an archive as people type it', { archive: 'Debian ' }, { archive: 'debian' }],
    ['with an archive of blanks', { archive: ' ' }, { archive: 'ubuntu' }],
    ['with a PPA as people type it, and echoes it', { ppa: ' PPA:Me/x' }, { ppa: ' PPA:Me/x' }],
    [
      'with a PPA that says its distribution',
      { ppa: '~airline/ubuntu/demo', archive: undefined },
      { ppa: '~airline/ubuntu/demo', archive: 'ubuntu' },
    ],
    [
      'with a PPA of another distribution than the default',
      { ppa: '~airline/debian/demo', archive: undefined },
      { ppa: '~airline/debian/demo', archive: 'debian' },
    ],
    [
      'with a PPA and an archive that say the same',
      { ppa: 'ppa:airline/debian/demo', archive: 'Debian' },
      { archive: 'debian' },
    ],
    [
      'with two source packages',
      {
        source_packages: [...HELLO, `${STORE}/sl_5.02-1.dsc`, `${STORE}/sl_5.02-1_source.changes`],
      },
      {},
    ],
    [
      "with sources in Airline's own store",
      { source_packages: ['OWN/store/uploads/hello_1/hello_1_source.changes'] },
      {},
    ],
  ])('is accepted %s', async (_name, fields, expected) => {
    const own = JSON.parse(JSON.stringify(request(fields)).replaceAll('OWN', api.now.url));
    const answer = await post(own);
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 202 });
    expect(answer.json).toMatchObject(expected);
  });

  it.each(['ticket_id', 'source_packages', 'series', 'ppa', 'progress_trigger'])(
    'needs %s',
    async (field) => {
      for (const body of [without(field), request({ [field]: null })]) {
        const answer = await post(body);
        expect(answer.status).toBe(400);
        expect(answer.json).toMatchObject({
          error: expect.stringContaining(field),
          code: 'invalid_field',
          hint: expect.any(String),
          fields: { [field]: ['This field is required.'] },
        });
      }
    },
  );

  const sources = (...names: string[]) => ({
    source_packages: names.map((name) => `${STORE}/${name}`),
  });
  it.each([
    ['a ticket that is no number', { ticket_id: 'one' }, 'ticket_id', /id of a ticket/],
    ['a ticket beyond all numbers', { ticket_id: 1e300 }, 'ticket_id', /./],
    ['sources that are no list', { source_packages: 'hello' }, 'source_packages', /list of URLs/],
    ['no source', { source_packages: [] }, 'source_packages', /at least one source package/],
    ['a source that is no text', { source_packages: [7] }, 'source_packages', /is a URL/],
    [
      'a source that is no URL',
      { source_packages: ['hello.changes'] },
      'source_packages',
      /not a URL/,
    ],
    [
      'a blank in a URL',
      { source_packages: [`${STORE}/a b_1_source.changes`] },
      'source_packages',
      /not a URL/,
    ],
    [
      'a file URL',
      { source_packages: ['file:///etc/passwd'] },
      'source_packages',
      /not http or https/,
    ],
    ['no .changes', sources('hello_2.10-3.dsc'), 'source_packages', /Name the \.changes/],
    [
      'two .changes of one package',
      sources('hello_1_source.changes', 'hello_1_amd64.changes'),
      'source_packages',
      /more than one/,
    ],
    [
      'a .dsc without its .changes',
      sources('hello_1_source.changes', 'hello_1.dsc', 'hello_2.dsc'),
      'source_packages',
      /hello_2\.dsc has no/,
    ],
    [
      'a stranger among the files',
      sources('hello_1_source.changes', 'sl_1.tar.xz'),
      'source_packages',
      /belongs to no/,
    ],
    [
      'a file named twice',
      sources('hello_1_source.changes', 'x/hello_1_source.changes'),
      'source_packages',
      /named twice/,
    ],
    [
      'a URL that ends in a folder',
      sources('hello_1_source.changes', 'hello/'),
      'source_packages',
      /plain file name/,
    ],
    [
      'a path part in a file name',
      sources('hello_1_source.changes', 'hello_1%2Fx.dsc'),
      'source_packages',
      /plain file name/,
    ],
    ['a series with a path part', { series: '../bookworm' }, 'series', /lower-case/],
    ['a series of two words', { series: 'Jammy Jellyfish' }, 'series', /lower-case/],
    ['a source that is null', { source_packages: [null] }, 'source_packages', /is a URL/],
    ['a PPA that is none', { ppa: 'airline' }, 'ppa', /ppa:owner\/name/],
    ['an archive with a path part', { archive: 'a/b' }, 'archive', /lower-case/],
    [
      'an archive that the PPA is not of',
      { ppa: '~airline/ubuntu/demo', archive: 'debian' },
      'archive',
      /^~airline\/ubuntu\/demo is a PPA of ubuntu, not of debian\.$/,
    ],
    ["a queue of the broker's own", { progress_trigger: 'amq.direct' }, 'progress_trigger', /amq/],
    ['a queue with a blank', { progress_trigger: 'a b' }, 'progress_trigger', /A-Z/],
    ['a long queue', { progress_trigger: 'x'.repeat(256) }, 'progress_trigger', /255/],
    ['an order that is none', { order: 'alphabet' }, 'order', /dependencies, or null/],
    ['a cancel URL that is none', { cancel_url: 'soon' }, 'cancel_url', /not a URL/],
    [
      'a cancel URL that is a file',
      { cancel_url: 'file:///etc/passwd' },
      'cancel_url',
      /not http or https/,
    ],
    ['a cancel URL that is a number', { cancel_url: 1 }, 'cancel_url', /URL or null/],
  ])('is refused: %s', async (_name, fields, field, message) => {
    const answer = await post(request(fields));
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ code: 'invalid_field', hint: expect.any(String) });
    expect(Object.keys(answer.json.fields)).toEqual([field]);
    expect(answer.json.fields[field].join(' ')).toMatch(message);
  });

  it.each([
    ['source_packages', ['http://user:s3cret@127.0.0.1:9000/hello_1_source.changes']],
    ['source_packages', [`${STORE}/hello_1_source.changes`, 'http://user:s3cret@evil.example/x']],
    ['cancel_url', 'http://s3cret@127.0.0.1:9000/ticket'],
  ])('is refused without saying it again: credentials in a URL of %s', async (field, value) => {
    const answer = await post(request({ [field]: value }));
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ code: 'credentials_in_url', hint: expect.any(String) });
    expect(answer.json.fields[field].join(' ')).toMatch(/user name/);
    expect(answer.text).not.toContain('s3cret');
  });

  it.each([
    [
      'another host',
      { source_packages: ['http://evil.example/hello_1_source.changes'] },
      'source_packages',
    ],
    [
      'an allowed host, another port',
      { source_packages: ['https://store.example/hello_1_source.changes'] },
      'source_packages',
    ],
    [
      "Airline's own port",
      { source_packages: ['OWN/api/v1/hello_1_source.changes'] },
      'source_packages',
    ],
    [
      "a way out of Airline's store",
      { source_packages: ['OWN/store/../api/hello_1_source.changes'] },
      'source_packages',
    ],
    ['a cancel URL elsewhere', { cancel_url: 'http://169.254.169.254/latest' }, 'cancel_url'],
  ])('is refused with host_not_allowed: %s', async (_name, fields, field) => {
    const own = JSON.parse(JSON.stringify(request(fields)).replaceAll('OWN', api.now.url));
    const answer = await post(own);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ code: 'host_not_allowed' });
    expect(answer.json.hint).toContain('AIRLINE_SOURCE_HOSTS');
    expect(Object.keys(answer.json.fields)).toEqual([field]);
  });

  it('is refused with unknown_reference for a ticket that is not there', async () => {
    const answer = await post(request({ ticket_id: 999_999 }));
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      error: 'There is no ticket 999999.',
      code: 'unknown_reference',
      hint: expect.any(String),
      fields: { ticket_id: ['There is no ticket 999999.'] },
    });
  });

  it('is found by the distribution of its PPA', async () => {
    const { json } = await post(request({ ppa: '~airline/debian/listed', archive: undefined }));
    const inArchive = async (archive: string) => {
      const { objects } = (await world.get(`build/?archive=${archive}&ppa=${json.ppa}`)).json;
      return objects.map(({ id }: { id: number }) => id);
    };
    expect(await inArchive('debian')).toEqual([json.id]);
    expect(await inArchive('ubuntu')).toEqual([]);
  });

  it('says everything that is wrong at once', async () => {
    const answer = await post(request({ series: 'A/', ppa: '-', source_packages: [] }));
    expect(Object.keys(answer.json.fields).toSorted()).toEqual([
      'ppa',
      'series',
      'source_packages',
    ]);
  });

  it('closes its ticket to new subtickets', async () => {
    const ticket = await world.ticket();
    await world.build(ticket);
    const late = await world.post('subticket/', {
      ticket: ticket.resource_uri,
      source_package_upload: (await world.upload()).resource_uri,
    });
    expect(late.status).toBe(409);
    expect(late.json.error).toContain('A build of ticket');
  });
});

describe('the cancellation of a build', () => {
  const cancel = (id: number) => world.post(`build/${id}/cancel/`);

  it('is kept on the row until the workflow has it', async () => {
    const build = await world.build({ id: ticketId });
    const changes = api.now.dispatchWakes();
    const first = await world.post(`build/${build.id}/cancel`, undefined, {
      'x-request-id': 'stop-1',
    });
    expect(first.status).toBe(202);
    expect(first.json).toMatchObject({
      id: build.id,
      cancel_requested_at: expect.any(String),
      cancel_requested_by: 'anonymous (request stop-1)',
    });
    expect(api.now.dispatchWakes()).toBe(changes + 1);
    expect((await cancel(build.id)).json.cancel_requested_by).toBe(first.json.cancel_requested_by);
  });

  it('happens once under an Idempotency-Key, and is told when it is committed', async () => {
    const build = await world.build({ id: ticketId });
    const changes = api.now.dispatchWakes();
    const path = `/api/v1/build/${build.id}/cancel/`;
    const send = () => api.now.call('POST', path, undefined, { 'idempotency-key': 'cancel-1' });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.text).toBe(first.text);
    expect(first.json.cancel_requested_at).toEqual(expect.any(String));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(api.now.dispatchWakes()).toBe(changes + 1);
  });

  it('is refused with 409 where the build has ended, and with 404 where there is none', async () => {
    const build = await world.build({ id: ticketId });
    await report(api.now.database, build, 'COMPLETE');
    const answer = await cancel(build.id);
    expect(answer.status).toBe(409);
    expect(answer.json).toMatchObject({ code: 'conflict' });
    expect(answer.json.error).toContain('completed');
    expect((await cancel(999_999)).json).toMatchObject({ code: 'not_found' });
  });
});
