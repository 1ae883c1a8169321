import { openDatabase } from '../../../models/database.ts';
import { waitsForLock } from '../../support/lock-waits.ts';
import { addBuild, addLanding, report, TESTS } from '../../support/rows.ts';
import { until } from '../../support/until.ts';
import { createWorld, stepOf } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

const { get, patch } = world;
const versionOf = async ({ id }: { id: number }) => (await get(`spu/${id}/`)).json.version;

describe('a ticket of which a build was requested', () => {
  it('keeps its subtickets', async () => {
    const ticket = await world.ticketOf('hello', 'mojo');
    const [hello, mojo] = ticket.subtickets;
    expect((await world.delete(`subticket/${mojo.id}/`)).status).toBe(204);
    await world.build(ticket);
    for (const answer of [
      await world.delete(`subticket/${hello.id}/`),
      await patch('subticket/', { objects: [], deleted_objects: [hello.resource_uri] }),
    ]) {
      expect(answer.status).toBe(409);
      expect(answer.json).toMatchObject({ code: 'ticket_under_way', hint: expect.any(String) });
    }
    expect((await get(`subticket/${hello.id}/`)).status).toBe(200);
    expect((await world.delete('subticket/999999/')).status).toBe(404);
  });

  it('keeps the versions and packages of its uploads, whoever else has them', async () => {
    const ticket = await world.ticketOf('hello');
    const upload = ticket.subtickets[0].source_package_upload;
    expect((await patch(`spu/${upload.id}/`, { version: '2' })).status).toBe(202);
    await world.build(ticket);
    const other = (await world.sourcePackage()).resource_uri;
    for (const change of [{ version: '3' }, { sourcepackage: other }]) {
      const answer = await patch(`spu/${upload.id}/`, change);
      expect(answer.status).toBe(409);
      expect(answer.json).toMatchObject({ code: 'ticket_under_way' });
    }
    expect((await patch(`spu/${upload.id}/`, { version: '2' })).status).toBe(202);
    expect(await versionOf(upload)).toBe('2');
  });

  it('keeps the names of its source packages, by which what a build leaves is attached', async () => {
    const ticket = await world.ticketOf('misspelt');
    const { id } = ticket.subtickets[0].source_package_upload.sourcepackage;
    const rename = (name: string) => patch(`sourcepackage/${id}/`, { name });
    expect((await rename('well-spelt')).status).toBe(202);
    await world.build(ticket);
    const answer = await rename('misspelt');
    expect(answer).toMatchObject({ status: 409, json: { code: 'ticket_under_way' } });
    expect((await rename('well-spelt')).status).toBe(202);
    expect((await get(`sourcepackage/${id}/`)).json.name).toBe('well-spelt');
  });

  it('keeps its parts while it is being landed, as the landing has read them', async () => {
    const landing = await addLanding(api.now.database);
    const [{ subticketId: id } = { subticketId: 0 }] = landing.packages;
    const { Subticket } = api.now.database;
    const { sourcePackageUploadId: uploadId } = await Subticket.findByPk(id, {
      rejectOnEmpty: true,
    });
    const other = (await world.sourcePackage()).resource_uri;
    const artifact = await world.create('subticketartifact/', {
      subticket: `/api/v1/subticket/${id}/`,
      name: 'changes',
      reference: 'http://127.0.0.1:9000/landed_1_source.changes',
      type: 'SPU',
    });
    const atArtifact = `subticketartifact/${artifact.id}/`;
    for (const answer of [
      await patch(atArtifact, { reference: 'http://127.0.0.1:9000/other' }),
      await world.delete(atArtifact),
      await patch(`spu/${uploadId}/`, { version: '2' }),
      await patch(`spu/${uploadId}/`, { sourcepackage: other }),
      await world.delete(`subticket/${id}/`),
    ]) {
      expect(answer.status).toBe(409);
      expect(answer.json).toMatchObject({
        code: 'ticket_under_way',
        error: expect.stringContaining(
          `Landing ${landing.id} of ticket ${landing.ticketId} is under way`,
        ),
      });
    }
    await landing.update({ phase: 'failed', finishedAt: new Date() });
    expect((await world.delete(atArtifact)).status).toBe(204);
    expect((await patch(`spu/${uploadId}/`, { version: '2' })).status).toBe(202);
  });

  it('keeps the files that it was built from, and no others', async () => {
    const ticket = await world.ticketOf('hello');
    const [{ resource_uri: subticket }] = ticket.subtickets;
    const source = 'http://127.0.0.1:9000/files/hello_2.10-3_source.changes';
    const add = (reference: string, type = 'SPU') =>
      world.create('subticketartifact/', { subticket, name: 'a file', reference, type });
    const [built, mistaken, log] = [
      await add(source),
      await add('http://127.0.0.1:9000/mistaken.dsc'),
      await add('http://127.0.0.1:9000/log', 'LOGS'),
    ];
    const at = ({ id }: { id: number }) => `subticketartifact/${id}/`;
    const { json: build } = await world.post(
      'build_source',
      world.buildRequest(ticket, { source_packages: [source] }),
    );
    const other = (await world.ticketOf('other')).subtickets[0].resource_uri;
    for (const answer of [
      await patch(at(built), { reference: 'http://127.0.0.1:9000/other.dsc' }),
      await patch(at(built), { type: 'RESULTS' }),
      await patch(at(built), { subticket: other }),
      await world.delete(at(built)),
      await patch('subticketartifact/', { objects: [], deleted_objects: [built.resource_uri] }),
    ]) {
      expect(answer).toMatchObject({ status: 409, json: { code: 'ticket_under_way' } });
      expect(answer.json.error).toContain(`Build ${build.id} `);
    }
    expect((await patch(at(built), { name: 'the .changes' })).status).toBe(202);
    expect((await get(at(built))).json).toMatchObject({ reference: source, type: 'SPU' });
    expect(
      (await patch(at(mistaken), { reference: 'http://127.0.0.1:9000/right.dsc' })).status,
    ).toBe(202);
    expect((await world.delete(at(mistaken))).status).toBe(204);
    expect((await world.delete(at(log))).status).toBe(204);
    expect((await world.delete('subticketartifact/999999/')).status).toBe(404);
  });

  it.each([
    ['former', 'present'],
    ['present', 'former'],
  ] as const)(
    'keeps a file under a %s address of the data store that it was built from under its %s one',
    async (named, requested) => {
      const stores = { former: 'https://former.example/store', present: `${api.now.url}/store` };
      const file = '/uploads/moved_1/moved_1_source.changes';
      const ticket = await world.ticketOf('moved');
      const { id } = await world.create('subticketartifact/', {
        subticket: ticket.subtickets[0].resource_uri,
        name: 'changes',
        reference: stores[named] + file,
        type: 'SPU',
      });
      const at = `subticketartifact/${id}/`;
      await world.build(ticket, { source_packages: [stores[requested] + file] });
      for (const answer of [
        await patch(at, { reference: `${stores.present}/uploads/moved_1/other.dsc` }),
        await world.delete(at),
      ])
        expect(answer).toMatchObject({ status: 409, json: { code: 'ticket_under_way' } });
      const { reference } = (await get(at)).json;
      expect(reference).toBe(stores.present + file);
      expect((await patch(at, { reference, type: 'SPU' })).status).toBe(202);
    },
  );

  it('keeps a file that it is built from by a request that came first', async () => {
    const ticket = await world.ticketOf('hello');
    const reference = 'http://127.0.0.1:9000/files/hello_1_source.changes';
    const [{ resource_uri: subticket }] = ticket.subtickets;
    const file = { subticket, name: 'changes', reference, type: 'SPU' };
    const { id } = await world.create('subticketartifact/', file);
    const { database } = api.now;
    const { asked } = await database.sequelize.transaction(async (transaction) => {
      await database.Ticket.lockShared(ticket.id, transaction);
      const answer = world.delete(`subticketartifact/${id}/`);
      await until('the deletion waits', () => waitsForLock(database.sequelize));
      await addBuild(database, { ticketId: ticket.id, sourcePackages: [reference] }, transaction);
      return { asked: answer };
    });
    expect(await asked).toMatchObject({ status: 409, json: { code: 'ticket_under_way' } });
  });

  it('keeps what a change to it meant to leave as it was, but came too late for', async () => {
    const ticket = await world.ticketOf('one-name');
    const { id, sourcepackage } = ticket.subtickets[0].source_package_upload;
    const { database } = api.now;
    const { sequelize, SourcePackage, SourcePackageUpload } = database;
    const { asked } = await sequelize.transaction(async (transaction) => {
      const context = { ...TESTS, transaction };
      await SourcePackageUpload.updateOne(id, { version: '2' }, context);
      await SourcePackage.updateOne(sourcepackage.id, { name: 'other-name' }, context);
      const answers = [
        patch(`spu/${id}/`, { version: '1' }),
        patch(`sourcepackage/${sourcepackage.id}/`, { name: 'one-name' }),
      ];
      await until('both wait', () => waitsForLock(sequelize, answers.length));
      await addBuild(database, { ticketId: ticket.id }, transaction);
      return { asked: Promise.all(answers) };
    });
    for (const answer of await asked)
      expect(answer).toMatchObject({ status: 409, json: { code: 'ticket_under_way' } });
    expect(await versionOf({ id })).toBe('2');
    expect((await get(`sourcepackage/${sourcepackage.id}/`)).json.name).toBe('other-name');
  });

  it('has no build any more when it is Complete, nor a retry of an earlier one', async () => {
    const ticket = await world.ticketOf('hello');
    const { id } = await world.build(ticket);
    await report(api.now.database, { id }, 'FAILURE');
    await patch(`updateticketstatus/${ticket.id}/`, stepOf(1000));
    const answer = await world.post('build_source', world.buildRequest(ticket));
    expect(answer.status).toBe(409);
    expect(answer.json).toMatchObject({ code: 'ticket_complete' });
    const retry = () => world.post(`build/${id}/retry/`, {});
    expect(await retry()).toMatchObject({ status: 409, json: { code: 'ticket_complete' } });
    await patch(`updateticketstatus/${ticket.id}/`, stepOf(999));
    expect((await retry()).status).toBe(202);
    await world.build(ticket);
  });

  it('is Complete for a request that came while it became so', async () => {
    const ticket = await world.ticketOf('hello');
    const { id } = await world.build(ticket);
    await report(api.now.database, { id }, 'FAILURE');
    const { sequelize, Ticket } = api.now.database;
    for (const ask of [
      () => world.post('build_source', world.buildRequest(ticket)),
      () => world.post(`build/${id}/retry/`, {}),
    ]) {
      const { asked } = await sequelize.transaction(async (transaction) => {
        await Ticket.lock(ticket.id, transaction);
        const complete = { currentWorkflowStep: 1000, status: 1000 } as const;
        await Ticket.updateOne(ticket.id, complete, { ...TESTS, transaction });
        const answer = ask();
        await until('the request waits for the ticket', () => waitsForLock(sequelize));
        return { asked: answer };
      });
      expect(await asked).toMatchObject({ status: 409, json: { code: 'ticket_complete' } });
      await patch(`updateticketstatus/${ticket.id}/`, stepOf(100));
    }
  });
});

it('a ticket follows the subtickets that are left when one is deleted', async () => {
  const ticket = await world.ticketOf('hello', 'mojo');
  const [hello, mojo] = ticket.subtickets;
  await patch(`updatesubticketstatus/${mojo.id}/`, stepOf(300));
  expect((await get(`ticket/${ticket.id}/`)).json).toMatchObject(stepOf(100));
  expect((await world.delete(`subticket/${hello.id}/`)).status).toBe(204);
  expect((await get(`ticket/${ticket.id}/`)).json).toMatchObject(stepOf(300));
});

it('in phase 0 a failed subticket is not replaced, and a ticket at Queued takes subtickets as ever', async () => {
  const phase0 = openDatabase(api.now.databaseUrl, 1, { phase: '0' });
  try {
    const ticket = await world.ticketOf('hello');
    const upload = await world.upload();
    const values = { ticketId: ticket.id, sourcePackageUploadId: upload.id, assignee: '' };
    expect(await phase0.Subticket.createOne(values, TESTS)).toMatchObject({ replacedById: null });
    await patch(`updatesubticketstatus/${ticket.subtickets[0].id}/`, stepOf(999));
    const again = { ...values, sourcePackageUploadId: (await world.upload()).id };
    await expect(phase0.Subticket.createOne(again, TESTS)).rejects.toMatchObject({
      code: 'phase_forbids_replacement',
    });
  } finally {
    await phase0.close();
  }
});
