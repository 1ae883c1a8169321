import { addBuild, architectureBuild, report } from '../../support/rows.ts';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

async function list(path: string, query: Record<string, string>) {
  const answer = await world.get(`${path}/?${new URLSearchParams(query).toString()}`);
  expect({ query, status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return answer.json;
}

const idsIn = ({ objects }: { objects: { id: number }[] }) => objects.map(({ id }) => id);

describe('searching tickets', () => {
  const ids: Record<string, number> = {};
  const found = async (q: string, path = 'ticket') => {
    const { objects, meta } = await list(path, { q });
    expect(meta.total_count).toBe(objects.length);
    return idsIn({ objects }).map((id) => Object.keys(ids).find((name) => ids[name] === id) ?? id);
  };

  beforeAll(async () => {
    const add = async (fields: Record<string, unknown> = {}) =>
      (await world.ticket({ owner: 'ana@airline.example', ...fields })).id;
    ids['hello'] = await add({ title: 'Fix the greeting of hello' });
    ids['bash'] = await add({
      owner: 'Bea@airline.example',
      description: 'The prompt is\nwrong in Ωmega',
      bug_id: 'LP-77',
    });
    ids['percent'] = await add({ title: '100% of a_b isn\'t "quoted" \\' });
    ids['plain'] = await add({ title: '100x of axb is' });
    ids['long'] = await add({ title: 'A word', description: `long ${'z'.repeat(1_200)}` });
    ids['far'] = await add({
      description: `${'x '.repeat(5_000)}faraway`,
    });
    const parts = await world.create('ticket/bundle/', {
      owner: 'ana@airline.example',
      title: 'Two packages',
      subtickets: ['libFoo-perl', 'g++-12'].map((name) => ({
        source_package_upload: { sourcepackage: { name }, version: '1.0' },
      })),
    });
    ids['parts'] = parts.id;
    ids['closed'] = await add({ title: 'Fix that is done' });
    await world.patch(`ticket/${ids['closed']}/`, { current_workflow_step: '1000' });
  });

  it.each([
    ['hello', ['hello']],
    ['HELLO greet', ['hello']],
    ['greet  the\tHELLO', ['hello']],
    ['hello wrong', []],
    ['bea@', ['bash']],
    ['lp-77', ['bash']],
    ['prompt wrong', ['bash']],
    ['ωMEGA', ['bash']],
    ['is wrong', ['bash']],
    ['libfoo', ['parts']],
    ['two g++', ['parts']],
    ['libfoo g++', ['parts']],
    ['libfoo hello', []],
    ['go', []],
  ])('for %j finds %j', async (q, expected) => {
    expect(await found(q)).toEqual(expected);
  });

  it.each([
    ['%', ['percent']],
    ['100%', ['percent']],
    ['a_b', ['percent']],
    ["isn't", ['percent']],
    ['"quoted"', ['percent']],
    ['\\', ['percent']],
    ['\\%', []],
    ["' OR 1=1 --", []],
    ["'; DROP TABLE ticket; --", []],
    ['$1', []],
    ['<script>alert(1)</script>', []],
    ['z'.repeat(1_000), ['long']],
    ['%'.repeat(1_000), []],
    ['_'.repeat(1_000), []],
  ])('takes hostile text %# for what it says', async (q, expected) => {
    expect(await found(q)).toEqual(expected);
  });

  it('finds the ticket whose id is the number that is looked for, too', async () => {
    const id = ids['bash'] ?? 0;
    expect(await found(String(id))).toContain('bash');
    expect(await found('77')).toEqual(['bash']);
    expect(await found(`${id} nothing`)).toEqual([]);
    expect(await found('9'.repeat(30))).toEqual([]);
  });

  it('looks for words without three letters or digits in a row among the newest 20,000 tickets alone', async () => {
    const [old, young] = [
      await world.ticket({ title: 'q! indexed' }),
      await world.ticket({ title: 'q! indexed' }),
    ];
    const { sequelize } = api.now.database;
    const far = 2_000_000_000;
    await world.put(`ticket/${far}/`, { owner: 'ana@airline.example', title: 'far above' });
    expect(await found('q!')).toEqual([old.id, young.id]);
    await sequelize.transaction(async (transaction) => {
      // Without triggers: their texts are not looked for.
      await sequelize.query('SET LOCAL session_replication_role = replica', { transaction });
      await sequelize.query(
        `INSERT INTO ticket (id, owner, title)
         SELECT ${far} + n, 'ana@airline.example', 'newer' FROM generate_series(1, 19998) n`,
        { transaction },
      );
    });
    expect(await found('q!')).toEqual([young.id]);
    expect(await found('q! indexed')).toEqual([old.id, young.id]);
    await sequelize.query(
      `DELETE FROM ticket WHERE id >= ${far} OR id IN (${old.id}, ${young.id})`,
    );
  });

  it('keeps to open tickets where the list does', async () => {
    expect(await found('fix done')).toEqual([]);
    expect(await found('fix done', 'ticketstatus')).toEqual(['closed']);
    expect(await found('hello', 'opentickets')).toEqual(['hello']);
  });

  it('goes with filters, order and pages, whose links keep it', async () => {
    const page = await list('ticketstatus', { q: 'fix', order_by: '-id', limit: '2' });
    expect(idsIn(page)).toEqual([ids['closed'], ids['far']]);
    expect(page.meta.next).toContain('q=fix');
    const next = await api.now.call('GET', page.meta.next);
    expect(idsIn(next.json)).toEqual([ids['bash'], ids['hello']]);
    const closed = await list('ticket', { q: 'fix', current_workflow_step: '1000' });
    expect(idsIn(closed)).toEqual([ids['closed']]);
  });

  it('finds all where no word is given', async () => {
    for (const q of ['', '  ']) expect(await found(q)).toHaveLength(Object.keys(ids).length - 1);
  });

  it('knows what a ticket is called now, and what its parts are now', async () => {
    const ticket = await world.ticket({ title: 'Oldname' });
    const { id } = ticket;
    await world.patch(`ticket/${id}/`, { title: 'Newname' });
    expect(await found('oldname')).toEqual([]);
    expect(await found('newname')).toEqual([id]);

    const names = ['part-one', 'part-two', 'part-three', 'part-four'];
    const parts = await Promise.all(
      names.map((name) =>
        world.subticket(ticket, {
          source_package_upload: { sourcepackage: { name }, version: '1.0' },
        }),
      ),
    );
    expect(await found(`newname ${names.join(' ')}`)).toEqual([id]);
    await world.delete(`subticket/${parts[1].id}/`);
    expect(await found('part-two')).toEqual([]);
    const [{ id: packageId }] = (await list('sourcepackage', { name: 'part-one' })).objects;
    await world.patch(`sourcepackage/${packageId}/`, { name: 'renamed-part' });
    expect(await found('renamed-part')).toEqual([id]);
    expect(await found('part-one')).toEqual([]);
    const [{ id: uploadId }] = (await list('spu', { sourcepackage__name: 'part-four' })).objects;
    await world.patch(`spu/${uploadId}/`, { sourcepackage: { name: 'moved-part' } });
    expect(await found('moved-part')).toEqual([id]);
    expect(await found('part-four')).toEqual([]);
    await world.delete(`subticket/${parts[0].id}/`);
    expect(await found('renamed-part')).toEqual([]);
    expect(await found('newname part-three moved-part')).toEqual([id]);
  });

  it('does not look further into a description than 10,000 characters', async () => {
    expect(await found('faraway')).toEqual([]);
  });

  it.each([
    'a'.repeat(1_001),
    'word '.repeat(3) + 'abcdefghijklmnopqrstu'.split('').join(' '),
    'a\0b',
  ])('is answered 400 for too much, or for what no text has: %#', async (q) => {
    const answer = await world.get(`ticket/?q=${encodeURIComponent(q)}`);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ code: 'invalid_field', error: /^Invalid q: / });
  });
});

describe('searching builds', () => {
  const accept = (...files: string[]) =>
    addBuild(api.now.database, {
      sourcePackages: files.map((file) => `http://127.0.0.1/${file}`),
    });

  it('finds those that were requested with a package, the latest first', async () => {
    const first = await accept('hello_2.10-3_source.changes', 'hello_2.10-3.dsc');
    const both = await accept('bash_5.2-1_source.changes', 'hello_2.10-4_source.changes');
    const other = await accept('hello-world_1.0_source.changes');
    const query = { package: 'hello', order_by: '-id' };
    const { objects } = await list('build', query);
    expect(idsIn({ objects })).toEqual([both.id, first.id]);
    expect(objects[0].packages).toEqual(['bash', 'hello']);
    expect(idsIn(await list('build', { package: 'hello-world' }))).toEqual([other.id]);
    expect(idsIn(await list('build', { ...query, ticket: String(first.ticketId) }))).toEqual([
      first.id,
    ]);
  });

  it('finds a build by what the PPA shows of it, whatever its files are called', async () => {
    const build = await accept('upload.changes');
    await report(api.now.database, build, 'INPROGRESS', {
      builds: ['g++-12', 'g++-12', '<script>'].map((name) => architectureBuild({ package: name })),
    });
    const { objects } = await list('build', { package: 'g++-12' });
    expect(objects).toMatchObject([{ id: build.id, packages: expect.arrayContaining(['g++-12']) }]);
    expect(objects[0].packages).not.toContain('<script>');
  });

  it('gives those in some states, page by page', async () => {
    const done = await accept('coreutils_9.1_source.changes');
    await report(api.now.database, done, 'COMPLETE');
    const queued = await accept('coreutils_9.2_source.changes');
    const of = (state: string) => list('build', { package: 'coreutils', state__in: state });
    expect(idsIn(await of('completed,failed'))).toEqual([done.id]);
    expect(idsIn(await of('queued,completed'))).toEqual([done.id, queued.id]);
    const page = await list('build', { package: 'coreutils', limit: '1' });
    expect(page.meta).toMatchObject({ total_count: 2, next: expect.stringContaining('package=') });
  });

  it.each(["'", '{"a"}', '%', '}', 'x'.repeat(255)])('finds none by the name %#', async (name) => {
    expect(idsIn(await list('build', { package: name }))).toEqual([]);
  });
});
