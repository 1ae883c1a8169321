import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useApi } from '../api/serve.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { createWorld, stepOf } from '../support/world.ts';
import { assertDone, call, type World } from './call.ts';
import { json, useScript, type Answer } from './script-server.ts';
import { writeUpload } from './write-upload.ts';

describe('what a ticket is made of, by commands', () => {
  const api = useApi();
  const world = createWorld(api);
  const airline = (args: readonly string[], more: World = {}) =>
    call(args, { ...more, env: { AIRLINE_URL: api.now.url, ...more.env } });
  const read = async (path: string) => (await world.get(path)).json;

  it('edits a ticket, links it, and closes it', async () => {
    const { id } = await world.ticket();
    expect((await airline(['ticket', 'edit', `${id}`])).code).toBe(2);
    await airline(['ticket', 'edit', `${id}`, '--title', 'Say hello', '--bug', '42']);
    const link = ['ticket', 'link', `${id}`, '--reference', 'bug=https://bugs.example/42'];
    assertDone(await airline([...link, '--ppa', 'ppa:ann/own']));
    expect(await read(`fullticket/${id}/`)).toMatchObject({
      title: 'Say hello',
      bug_id: '42',
      references: [{ kind: 'bug', url: 'https://bugs.example/42' }],
      ppas: [{ ppa: 'ppa:ann/own' }],
    });
    const { stdout } = await airline(['ticket', 'close', `${id}`, '--reason', 'by hand']);
    expect(stdout).toBe(`✓ Ticket ${id} is complete.\n`);
    expect(await read(`ticket/${id}/`)).toMatchObject(stepOf(1000));
  });

  it('links nothing to a ticket where one of the links is none', async () => {
    const { id } = await world.ticket();
    const link = (...links: string[]) => airline(['ticket', 'link', `${id}`, ...links]);
    const page = '--reference=bug=https://bugs.example/1';
    for (const [wrong, said] of [
      ['--reference=bug=nourl', '"nourl" is not a URL'],
      ['--ppa=not a ppa', '"not a ppa" is not a PPA'],
    ] as const)
      expect(await link(page, '--ppa=ppa:ann/own', wrong)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(said),
      });
    expect(await read(`fullticket/${id}/`)).toMatchObject({ references: [], ppas: [] });
  });

  it('says which links a ticket lacks, and adds those alone by the same call', async () => {
    const { id } = await world.ticket();
    const link = (...links: string[]) => airline(['ticket', 'link', `${id}`, ...links, '--json']);
    const [first, second] = ['https://bugs.example/1', 'https://bugs.example/2'];
    const links = [`--reference=bug=${first}`, '--ppa=PPA:Ann/Own'];
    const { code, stderr } = await link(
      `--reference=bug=${first}`,
      '--reference=bug=ftp://bugs',
      '--ppa=PPA:Ann/Own',
    );
    expect(code).toBe(2);
    const { error } = JSON.parse(stderr) as { error: { message: string; details: string[] } };
    expect(error.message).toContain('Not everything was added');
    expect(error.details).toEqual([
      expect.stringContaining('url: '),
      'not added: ftp://bugs',
      'not added: PPA:Ann/Own',
    ]);
    const again = await link(...links, `--reference=bug=${second}`, `--reference=bug=${second}`);
    expect(JSON.parse(again.stdout)).toMatchObject([{ url: second }, { ppa: 'ppa:ann/own' }]);
    expect(JSON.parse((await link(...links)).stdout)).toEqual([]);
    expect(await read(`fullticket/${id}/`)).toMatchObject({
      references: [{ url: first }, { url: second }],
      ppas: [{ ppa: 'ppa:ann/own' }],
    });
  });

  it('adds artifacts, to a ticket or a subticket', async () => {
    const ticket = await world.ticketOf('artifacts');
    const add = (...more: string[]) =>
      airline(['artifact', 'add', 'https://store.example/r.html', '--type', 'RESULTS', ...more]);
    await add('--ticket', `${ticket.id}`);
    await add('--subticket', `${ticket.subtickets[0].id}`, '--name', 'of the tests');
    expect((await add()).stderr).toContain('either --ticket or --subticket');
    expect(await read(`fullticket/${ticket.id}/`)).toMatchObject({
      artifacts: [{ name: 'r.html', type: 'RESULTS' }],
      subtickets: [{ artifacts: [{ name: 'of the tests' }] }],
    });
  });

  it('replaces a subticket that failed, and shows its history', async () => {
    const ticket = await world.ticketOf('replaced');
    const [{ id }] = ticket.subtickets;
    const replace = () =>
      airline(['subticket', 'replace', `${id}`, '--package-version', '2', '--quiet']);
    expect(await replace()).toMatchObject({ code: 5, stderr: expect.stringContaining('set-step') });
    await airline(['subticket', 'set-step', `${id}`, 'failed', '--reason', 'FTBFS']);
    const made = await replace();
    expect(await read(`subticket/${id}/`)).toMatchObject({
      replaced_by: `/api/v1/subticket/${made.stdout.trim()}/`,
    });
    expect((await airline(['subticket', 'history', `${id}`])).stdout).toContain('FTBFS');
    expect((await airline(['ticket', 'history', `${ticket.id}`])).stdout).toContain('FTBFS');
  });

  it('submits a corrected package into its ticket, in place of the one that failed', async () => {
    const submit = (version: string, ...more: string[]) =>
      airline(
        [
          'submit',
          writeUpload({ name: 'fixed', version }).changes,
          '--ppa=a/b',
          '--series=bookworm',
        ]
          .concat(['--archive=debian', '--no-check', '--json'])
          .concat(more),
      );
    const first = JSON.parse((await submit('1')).stdout) as {
      ticket: { id: number };
      build: { id: number };
    };
    const ticket = `--ticket=${first.ticket.id}`;
    expect(await submit('2', ticket)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('has not failed'),
    });
    expect((await submit('2', ticket, '--title=x')).code).toBe(2);
    await failBuild(first.build.id);
    const { code, stdout, stderr } = await submit('2', ticket);
    assertDone({ code, stdout, stderr });
    const second = JSON.parse(stdout) as typeof first;
    expect(second.ticket.id).toBe(first.ticket.id);
    const { subtickets, builds, ...moved } = await read(`fullticket/${first.ticket.id}/`);
    expect(moved).toMatchObject(stepOf(200));
    expect(subtickets).toMatchObject([
      { current_workflow_step: '999', source_package_upload: { version: '1' } },
      { current_workflow_step: '200', source_package_upload: { version: '2' }, replaced_by: null },
    ]);
    expect(builds.map((one: { id: number }) => one.id).toSorted()).toEqual([
      first.build.id,
      second.build.id,
    ]);
  });

  it('adds and lists projects, branches and test suites', async () => {
    await world.person({ name: 'Cara', email: 'cara@example.org' });
    const cara = 'cara@example.org';
    await airline(['project', 'create', '--name', 'hello-project', '--maintainer', cara]);
    await airline(['branch', 'create', '--name', '~cara/hello', '--owner', cara]);
    await airline(['testsuite', 'create', '--name', 'DEP-8', '--package', 'hello']);
    for (const [kind, name] of [
      ['project', 'hello-project'],
      ['branch', '~cara/hello'],
      ['testsuite', 'DEP-8'],
    ] as const)
      expect((await airline([kind, 'list'])).stdout).toContain(name);
  });

  it('lists builds of an owner, since a time, in any form of a PPA, in chosen columns', async () => {
    const ticket = await world.ticket({ owner: 'dora@example.org' });
    const { id } = await world.build(ticket, { ppa: 'PPA:Dora/Own' });
    const list = async (...more: string[]) =>
      (
        await airline(['build', 'list', '--quiet', ...more], {
          env: { DEBEMAIL: 'Dora <dora@example.org>' },
        })
      ).stdout;
    for (const some of [
      ['--owner', 'me'],
      ['--owner', 'dora@example.org', '--since', '1h'],
      ['--ppa', '~dora/debian/own'],
      ['--ppa', 'dora/own', '--state', 'queued'],
    ])
      expect(await list(...some)).toBe(`${id}\n`);
    expect(await list('--owner', 'me', '--since', '2099-01-01T00:00:00Z')).toBe('');
    const chosen = await airline([
      'build',
      'list',
      '--ppa',
      'dora/own',
      '--columns',
      'state,id,by',
    ]);
    expect(chosen.stdout).toBe(`STATE   ID  BY\nqueued  ${`${id}`.padEnd(2)}  anonymous\n`);
    expect(await airline(['build', 'list', '--columns', 'colour'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The columns are id, ticket, state'),
    });
  });

  it('lists a build since the time of its latest request, which a retry is, too', async () => {
    const ticket = await world.ticket({ owner: 'fay@example.org' });
    const [retried, left] = [await world.build(ticket), await world.build(ticket)];
    for (const { id } of [retried, left]) await failBuild(id as number);
    await api.now.database.sequelize.query(
      `UPDATE build SET created_at = now() - interval '7 days', requested_at = now() - interval '7 days'
       WHERE id IN (${retried.id}, ${left.id})`,
    );
    assertDone(await airline(['build', 'retry', `${retried.id}`]));
    const { stdout } = await airline([
      'build',
      'list',
      '--quiet',
      '--owner',
      'fay@example.org',
      '--since',
      '1h',
    ]);
    expect(stdout).toBe(`${retried.id}\n`);
  });

  it('cancels several builds, and goes on after one that is not there', async () => {
    const ticket = await world.ticket();
    const [one, other] = [await world.build(ticket), await world.build(ticket)];
    const { code, stdout, stderr } = await airline([
      'build',
      'cancel',
      `${one.id}`,
      '999999',
      `${other.id}`,
    ]);
    expect(code).toBe(3);
    expect(stderr).toContain('999999');
    expect(stdout.match(/is being cancelled/g)).toHaveLength(2);
  });

  it('prints what a queue was told, and leaves it there', async () => {
    const { id } = await world.build(await world.ticket(), { progress_trigger: 'tailed' });
    const { stdout } = await airline(['queue', 'tail', 'tailed']);
    expect(stdout).toMatch(new RegExp(`^build ${id} #1 .* queued`));
    expect((await airline(['queue', 'tail', 'nobody'])).stderr).toContain('No build reports');
  });

  it('says who calls, and where', async () => {
    const { stdout } = await airline(['whoami']);
    expect(stdout).toContain('anonymous');
    expect(stdout).toContain(api.now.url);
    const home = temporaryDirectory();
    await airline(['login'], { stdin: 'anything', homeDirectory: home });
    const { stdout: profiles } = await airline(['profile', 'list'], { homeDirectory: home });
    expect(profiles).toMatch(/default +http.* +no +yes/);
  });

  it('says why a build failed or what it waits for', async () => {
    const { id } = await world.build(await world.ticket());
    expect((await airline(['build', 'why', `${id}`])).stdout).toContain(`Build ${id} is queued`);
    await api.now.database.sequelize.query(
      `UPDATE build SET trouble = '{"step": "uploadSource", "message": "421 too many users", "tries": 1, "since": "2026-04-20T02:00:00Z"}'
       WHERE id = ${id}`,
    );
    expect((await airline(['build', 'why', `${id}`])).stdout).toMatch(
      /\n {2}The upload fails, 1 try in .+: 421 too many users\n$/,
    );
    await failBuild(id as number);
    const { code, stdout } = await airline(['build', 'why', `${id}`]);
    expect(code).toBe(1);
    expect(stdout).toContain('build_failed');
    expect((await airline(['build', 'open', `${id}`])).stdout).toBe(`${api.now.url}/build/${id}\n`);
  });

  async function failBuild(id: number): Promise<void> {
    await api.now.database.sequelize.query(
      `UPDATE build SET state = 'failed', phase = 'failed', finished_at = now(),
         failure = '{"class": "build_failed", "message": "it does not build", "retryable": false, "hint": "Correct it."}'
       WHERE id = ${id}`,
    );
  }
});

describe('airline build download', () => {
  const server = useScript();
  const DEB = 'what dpkg-deb made';
  const sha256 = createHash('sha256').update(DEB).digest('hex');
  const ppa = () => server.environment.AIRLINE_URL.replace('127.0.0.1', 'localhost');
  const fromLibrary: Answer[] = [
    (_, response) => response.writeHead(303, { location: '/library/hello.deb' }).end(),
    (_, response) => response.end(DEB),
  ];
  const play = (sum: string | null, { published = true, answers = fromLibrary } = {}) =>
    server.play(
      json(200, {
        id: 5,
        phase: 'completed',
        built_packages: [
          {
            name: 'hello',
            version: '1:2.10-3',
            architecture: 'amd64',
            url: published ? `${ppa()}/pool/hello_2.10-3_amd64.deb` : null,
            size: DEB.length,
            sha256: sum,
          },
        ],
      }),
      ...answers,
    );
  const download = (folder: string, ...more: string[]) =>
    call(['build', 'download', '5', '--to', folder, ...more], {
      env: server.environment,
      sleep: async () => undefined,
    });

  it('fetches what was built, under its name', async () => {
    play(sha256);
    const folder = join(temporaryDirectory(), 'new');
    const { code, stdout } = await download(folder);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${folder}/hello_2.10-3_amd64.deb\n` });
    expect(readFileSync(`${folder}/hello_2.10-3_amd64.deb`, 'utf8')).toBe(DEB);
  });

  it('follows the PPA to its library, where the token does not go', async () => {
    play(sha256);
    const folder = temporaryDirectory();
    const sent: (string | null)[] = [];
    const { code } = await call(['build', 'download', '5', '--to', folder], {
      env: { AIRLINE_URL: 'http://127.0.0.1:1', AIRLINE_TOKEN: 'secret' },
      fetch: async (url, init) => {
        sent.push(new Headers(init?.headers).get('authorization'));
        const { pathname } = new URL(new Request(url).url);
        return fetch(new URL(pathname, server.environment.AIRLINE_URL), init);
      },
    });
    expect({ code, sent }).toEqual({ code: 0, sent: ['Bearer secret', null] });
    expect(readdirSync(folder)).toEqual(['hello_2.10-3_amd64.deb']);
  });

  it.each([
    [404, 3, 'It is not there any more: another version has replaced it, or it was deleted.'],
    [410, 3, 'It is not there any more: another version has replaced it, or it was deleted.'],
    [403, 4, 'It is not open to everybody, as in a private PPA, and no token is sent there.'],
    [401, 4, 'It is not open to everybody, as in a private PPA, and no token is sent there.'],
    [503, 6, 'Try again in a moment.'],
  ])(
    'says of the PPA that it answers %i for a file, and ends with %i',
    async (status, exit, hint) => {
      play(sha256, {
        answers: [
          (_, response) => response.writeHead(status, { 'content-type': 'text/html' }).end(),
        ],
      });
      const folder = temporaryDirectory();
      const { code, stderr } = await download(folder);
      const url = `${ppa()}/pool/hello_2.10-3_amd64.deb`;
      expect({ code, stderr }).toEqual({
        code: exit,
        stderr: expect.stringContaining(
          `airline: ${url} answers with HTTP ${status}.\n  → ${hint}\n`,
        ),
      });
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it('says of a PPA that does not answer where the file is', async () => {
    play(sha256, { answers: [(request) => request.socket.destroy()] });
    const { code, stderr } = await download(temporaryDirectory());
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: expect.stringContaining(
        `${ppa()} does not answer (other side closed).\n  → The file is on that host, not on the server of Airline. Try again later.\n`,
      ),
    });
  });

  it('keeps no file with another checksum', async () => {
    play('0'.repeat(64));
    const folder = temporaryDirectory();
    const { code, stderr } = await download(folder);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('SHA-256') });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says of which file there is no checksum', async () => {
    play(null);
    const folder = temporaryDirectory();
    const { code, stderr } = await download(folder);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `${folder}/hello_2.10-3_amd64.deb: the record has no SHA-256, so it was not checked.\n`,
    });
    expect(readdirSync(folder)).toEqual(['hello_2.10-3_amd64.deb']);
  });

  it('lists no address of what is not published', async () => {
    play(sha256, { published: false });
    const listed = await download('.', '--list', '--quiet');
    expect(listed).toEqual({ code: 0, stdout: '', stderr: '' });
    play(sha256, { published: false });
    expect((await download('.', '--list')).stdout).toBe('hello 1:2.10-3: not published\n');
  });

  it('of another architecture: not found, and which there are', async () => {
    play(sha256);
    const folder = join(temporaryDirectory(), 'never');
    const { code, stderr } = await download(folder, '--architecture', 'riscv64');
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('hello (amd64)') });
    expect(existsSync(folder)).toBe(false);
  });
});
