import { createWorld } from '../../support/world.ts';
import { useApi, type Answer } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

const { get, patch, post, put } = world;
const names = (answer: Answer) =>
  answer.json.objects.map(({ name }: { name: string }) => name).toSorted();

describe('persons', () => {
  it('are added with is_team as the text True or False, as old clients send it', async () => {
    const email = 'toolchain@example.org';
    const team = await world.person({ name: 'Toolchain', email, is_team: 'True' });
    expect(team).toEqual({
      id: expect.any(Number),
      name: 'Toolchain',
      email,
      is_team: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      resource_uri: `/api/v1/person/${team.id}/`,
    });
    expect(await world.person({ name: 'Eve', email, is_team: 'False' })).toMatchObject({
      is_team: false,
    });
    expect(await world.person({ name: 'Eve', email })).toMatchObject({ is_team: false });
    expect((await post('person/', { name: 'Eve', email, is_team: 'maybe' })).json).toEqual({
      person: { is_team: ['Enter true or false.'] },
    });
  });

  it.each([
    ['name__exact=Grace Hopper', ['Grace Hopper']],
    ['name__exact=grace hopper', []],
    ['name__iexact=GRACE HOPPER', ['Grace Hopper']],
    ['name__startswith=Grac', ['Grace Hopper', 'Graciela']],
    ['name__startswith=grac', ['graciously']],
    ['name__startswith=Gr_c', []],
    ['name__istartswith=GRACE', ['Grace Hopper']],
    ['name__istartswith=grac', ['Grace Hopper', 'Graciela', 'graciously']],
    ['email__exact=Grace@navy.example', ['Grace Hopper']],
    ['email__exact=grace@navy.example', []],
    ['email__iexact=grace@NAVY.example', ['Grace Hopper']],
    ['email__startswith=Grace@', ['Grace Hopper']],
    ['email__istartswith=gRACE@', ['Grace Hopper', 'graciously']],
    ['is_team=True&name__istartswith=grac', ['graciously']],
    ['is_team=False&name__istartswith=grac', ['Grace Hopper', 'Graciela']],
  ])('are found by %s', async (query, expected) => {
    if ((await get('person/?email=Grace@navy.example')).json.meta.total_count === 0) {
      await world.person({ name: 'Grace Hopper', email: 'Grace@navy.example' });
      await world.person({ name: 'Graciela', email: 'g@example.org' });
      const email = 'grace@team.example';
      await world.person({ name: 'graciously', email, is_team: true });
    }
    const answer = await get(`person/?${query}`);
    expect(answer.status).toBe(200);
    expect(names(answer)).toEqual(expected);
  });

  it('refuse a filter that is not a boolean', async () => {
    expect((await get('person/?is_team=maybe')).json).toMatchObject({
      error: 'Invalid resource lookup data provided (mismatched type): is_team.',
    });
  });

  it('have a name of up to 4096 characters and an address of up to 200', async () => {
    const domain = '@example.org';
    const email = 'x'.repeat(64) + domain.padEnd(136, 'y');
    const [longest, longer] = ['é'.repeat(4096), 'é'.repeat(4097)];
    const person = await world.person({ name: longest, email });
    expect(person).toMatchObject({ name: longest, email });
    expect((await get(`person/?name__istartswith=${'É'.repeat(50)}`)).json.objects).toEqual([
      person,
    ]);
    const answer = await post('person/', { name: longer, email: `${email}y` });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      person: {
        name: ['Ensure this value has at most 4096 characters.'],
        email: ['Ensure this value has at most 200 characters.'],
      },
    });
  });

  it('need a name and an address', async () => {
    expect((await post('person/', {})).json).toEqual({
      person: { name: ['This field is required.'], email: ['This field is required.'] },
    });
    expect((await post('person/', { name: 'Ada', email: 'nowhere' })).json).toEqual({
      person: { email: ['Enter a valid email address.'] },
    });
  });
});

describe('projects', () => {
  it('are added with persons who exist, or who are nested in them', async () => {
    const contact = await world.person();
    const project = await world.project({
      name: 'hello',
      display_name: 'GNU Hello',
      maintainer: { name: 'Hello Team', email: 'hello@example.org', is_team: 'True' },
      contact: contact.resource_uri,
    });
    expect(project).toMatchObject({ description: '', contact: contact.resource_uri });
    const maintainer = await api.now.call('GET', project.maintainer);
    expect(maintainer.json).toMatchObject({ name: 'Hello Team', is_team: true });
    const found = await get('project/?maintainer__name__istartswith=hello');
    expect(names(found)).toEqual(['hello']);
  });

  it('leave nothing behind when what is nested is wrong', async () => {
    const before = (await get('person/')).json.meta.total_count;
    const answer = await post('project/', {
      name: 'wrong',
      display_name: 'Wrong',
      maintainer: { name: 'Stays out', email: 'out@example.org' },
      contact: { name: 'No address' },
    });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ project: { 'contact.email': ['This field is required.'] } });
    expect((await get('person/')).json.meta.total_count).toBe(before);
  });

  it('are put, patched, read together and described', async () => {
    const { resource_uri: ada } = await world.person();
    const body = { name: 'curl', display_name: 'curl', maintainer: ada, contact: ada };
    const project = await world.project(body);
    const path = `project/${project.id}/`;
    const renamed = await put(path, { ...body, display_name: 'cURL', description: 'URLs' });
    expect(renamed.status).toBe(200);
    expect(renamed.json).toMatchObject({ display_name: 'cURL', description: 'URLs' });
    const patched = await patch(path, { description: 'transfers' });
    expect(patched.status).toBe(202);
    expect(patched.json).toMatchObject({ display_name: 'cURL', description: 'transfers' });
    const own = await put(`project/${project.id + 1000}/`, { ...body, name: 'wget' });
    expect(own.status).toBe(201);
    const set = await get(`project/set/${own.json.id};${project.id};424242/`);
    expect(set.json).toMatchObject({
      objects: [{ name: 'wget' }, { name: 'curl' }],
      not_found: ['424242'],
    });
    const schema = (await get('project/schema/')).json;
    expect(schema.fields).toMatchObject({
      name: { type: 'string', blank: false },
      description: { type: 'string', blank: true, default: '' },
      maintainer: { type: 'related', related_schema: '/api/v1/person/schema/', nullable: false },
    });
    expect(schema.filtering).toMatchObject({ name: 1, contact: 2 });
  });

  it('hold their persons: deleting one is refused until nothing refers to it', async () => {
    const [maintainer, contact] = [await world.person(), await world.person()];
    const project = await world.project({
      maintainer: maintainer.resource_uri,
      contact: contact.resource_uri,
    });
    for (const { id } of [maintainer, contact]) {
      const answer = await world.delete(`person/${id}/`);
      expect(answer.status).toBe(409);
      expect(answer.json).toMatchObject({ code: 'referenced' });
    }
    expect((await world.delete(`project/${project.id}/`)).status).toBe(204);
    expect((await world.delete(`person/${contact.id}/`)).status).toBe(204);
    expect((await get(`person/${contact.id}/`)).status).toBe(404);
  });
});

describe('branches and merge proposals', () => {
  it('know the types of a branch, and may have no project', async () => {
    const owner = (await world.person()).resource_uri;
    const project = await world.project({ maintainer: owner, contact: owner });
    const unique = { unique_name: '~ada/owned/trunk', owner };
    for (const type of ['trunk', 'development', 'maintenance', 'regular'])
      expect(await world.create('branch/', { ...unique, type })).toMatchObject({
        type,
        project: null,
      });
    expect((await post('branch/', { ...unique, type: 'twig' })).json).toEqual({
      branch: { type: ['Select one of trunk, development, maintenance, regular.'] },
    });
    expect((await post('branch/', unique)).json).toEqual({
      branch: { type: ['This field is required.'] },
    });
    const branch = await world.create('branch/', {
      ...unique,
      type: 'trunk',
      project: project.resource_uri,
    });
    expect(branch.project).toBe(project.resource_uri);
    expect((await get(`branch/?project=${project.id}`)).json.objects).toEqual([branch]);
    expect((await get('branch/?project__isnull=True')).json.meta.total_count).toBe(4);
    const freed = await patch(`branch/${branch.id}/`, { project: null });
    expect(freed.json.project).toBeNull();
    expect((await world.delete(`project/${project.id}/`)).status).toBe(204);
    expect((await patch(`branch/${branch.id}/`, { owner: null })).status).toBe(400);
  });

  it('know how far a merge proposal has come', async () => {
    const submitter = (await world.person()).resource_uri;
    const body = {
      branch: { unique_name: '~ada/hello/fix', owner: submitter, type: 'regular', project: null },
      submitter,
      status: 'work_in_progress',
    };
    const proposal = await world.create('mergeproposal/', body);
    expect(proposal).toMatchObject({ hosting_weblink: '', status: 'work_in_progress' });
    const path = `mergeproposal/${proposal.id}/`;
    for (const status of ['needs_review', 'approved', 'rejected', 'merged'])
      expect((await patch(path, { status })).json).toMatchObject({ status });
    expect((await patch(path, { status: 'lost' })).json).toEqual({
      mergeproposal: {
        status: ['Select one of work_in_progress, needs_review, approved, rejected, merged.'],
      },
    });
    expect((await get('mergeproposal/?status=merged')).json.objects).toMatchObject([
      { id: proposal.id, branch: proposal.branch },
    ]);
    expect((await get('mergeproposal/?status__in=approved,rejected')).json.objects).toEqual([]);
    const link = { hosting_weblink: `https://${'x'.repeat(4088)}` };
    expect((await patch(path, link)).json).toMatchObject(link);
    expect((await patch(path, { hosting_weblink: `${link.hosting_weblink}x` })).status).toBe(400);
    expect((await api.now.call('DELETE', proposal.branch)).status).toBe(409);
  });
});

describe('test suites', () => {
  it('have a name, a description and a source package, none of which is needed, under both names', async () => {
    const suite = await world.create('testsuites/', {});
    expect(suite).toEqual({
      id: expect.any(Number),
      name: '',
      description: '',
      sourcepackage: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      resource_uri: `/api/v1/testsuite/${suite.id}/`,
    });
    const sourcepackage = (await world.sourcePackage()).resource_uri;
    const told = { name: 'smoke', description: 'It starts.', sourcepackage };
    const other = await world.create('testsuite/', told);
    expect(other).toMatchObject(told);
    expect((await get('testsuite/?name=smoke')).json.objects).toEqual([other]);
    for (const list of ['testsuite/', 'testsuites/'])
      expect((await get(list)).json.objects).toEqual([suite, other]);
    expect((await patch(`testsuites/${suite.id}/`, {})).json).toEqual(suite);
    expect((await put('testsuite/77/', {})).status).toBe(201);
    expect((await world.delete(`testsuite/${suite.id}/`)).status).toBe(204);
  });
});

describe('binary packages', () => {
  it('belong to a source package, found by its name or added', async () => {
    const source = await world.sourcePackage({ name: 'glibc' });
    const libc = await world.create('binarypackage/', {
      name: 'libc6',
      sourcepackage: source.resource_uri,
    });
    expect(libc).toMatchObject({ version: '', seeded: false });
    const dev = await world.create('binarypackage/', {
      name: 'libc6-dev',
      sourcepackage: { name: 'glibc' },
      version: '2.40-1',
      seeded: 'True',
    });
    expect(dev).toMatchObject({ sourcepackage: source.resource_uri, seeded: true });
    expect(names(await get('binarypackage/?sourcepackage__name=glibc'))).toEqual([
      'libc6',
      'libc6-dev',
    ]);
    expect(names(await get('binarypackage/?seeded=True'))).toEqual(['libc6-dev']);
    expect((await world.delete(`sourcepackage/${source.id}/`)).status).toBe(409);
  });

  it('have names of up to 4096 characters, each of them once', async () => {
    const name = 'ü'.repeat(4096);
    const body = { name, sourcepackage: { name: 'long' } };
    const first = await world.create('binarypackage/', body);
    const second = await post('binarypackage/', body);
    expect(second.status).toBe(409);
    expect(second.json.error).toContain(first.resource_uri);
    const other = await world.create('binarypackage/', { ...body, name: name.slice(1) });
    expect((await patch(`binarypackage/${other.id}/`, { name })).status).toBe(409);
    expect((await post('binarypackage/', { ...body, name: `${name}ü` })).status).toBe(400);
  });

  it('are one, however many add it at once', async () => {
    const body = { name: 'racing', sourcepackage: { name: 'race' } };
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => post('binarypackage/', body)),
    );
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([201, ...Array<number>(9).fill(409)]);
  });
});
