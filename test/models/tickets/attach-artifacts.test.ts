import { failureOf } from '../../../domain/builds/failure.ts';
import type { Build } from '../../../models/builds/build.ts';
import { addBuild, addTicket, report, retryBuild, TESTS } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();
const STORE = 'http://127.0.0.1:9000/store/builds/7';

/** A subticket for a version of a source package. */
async function addSubticketOf(ticketId: number, name: string, version = '1.0') {
  const { SourcePackage, SourcePackageUpload, Subticket } = database.now;
  const known = await SourcePackage.findOne({ where: { name } });
  const sourcePackageId = (known ?? (await SourcePackage.createOne({ name }, TESTS))).id;
  const upload = await SourcePackageUpload.createOne({ sourcePackageId, version }, TESTS);
  return Subticket.createOne({ ticketId, sourcePackageUploadId: upload.id, assignee: '' }, TESTS);
}

const artifactsOf = async ({ id: subticketId }: { id: number }) =>
  (await database.now.SubticketArtifact.findAll({ where: { subticketId }, order: ['id'] })).map(
    ({ name, type, reference }) => ({ name, type, reference }),
  );
const log = (file: string) => ({ name: file, type: 'LOGS', reference: `${STORE}/${file}` });
const ended = (build: Build, files: string[], more = {}) =>
  report(database.now, build, 'COMPLETE', {
    logs: files.map((file) => `${STORE}/${file}`),
    ...more,
  });

describe('when a build ends', () => {
  it('its logs and results are attached to the subtickets of their source packages', async () => {
    const ticket = await addTicket(database.now);
    const first = await addSubticketOf(ticket.id, 'one');
    const second = await addSubticketOf(ticket.id, 'two');
    const build = await addBuild(database.now, { ticketId: ticket.id });
    const logs = ['one_1.0_amd64.build.log', 'two_1.0_amd64.build.log', 'two_1.0_amd64.upload.log'];
    const lists = [`${STORE}/one_1.0.packages.json`];
    const built = { packages: [], apt: null, lists };
    await ended(build, [...logs, 'three_1.0_amd64.build.log', 'nonsense'], { built });

    const [ofOne = '', ...ofTwo] = logs;
    expect(await artifactsOf(first)).toEqual([
      log(ofOne),
      { name: 'one_1.0.packages.json', type: 'RESULTS', reference: lists[0] },
    ]);
    expect(await artifactsOf(second)).toEqual(ofTwo.map(log));
  });

  it('a report that is repeated attaches nothing twice, and so does a log that is there', async () => {
    const ticket = await addTicket(database.now);
    const subticket = await addSubticketOf(ticket.id, 'again');
    const held = log('again_1.0_amd64.build.log');
    const given = { ...held, type: 'LOGS' } as const;
    await database.now.SubticketArtifact.createOne({ ...given, subticketId: subticket.id }, TESTS);
    const build = await addBuild(database.now, { ticketId: ticket.id });
    await Promise.all([1, 2, 3].map(() => ended(build, [held.name])));
    expect(await artifactsOf(subticket)).toEqual([held]);
  });

  it('a later attempt attaches its own, and says which it is', async () => {
    const ticket = await addTicket(database.now);
    const subticket = await addSubticketOf(ticket.id, 'retried');
    const build = await addBuild(database.now, { ticketId: ticket.id });
    const file = 'retried_1.0_amd64.build.log';
    await report(database.now, build, 'FAILURE', { logs: [`${STORE}/${file}`] });
    await retryBuild(database.now, build);
    const reference = `${STORE}/attempt-2/${file}`;
    await report(database.now, build, 'COMPLETE', { attempt: 2, logs: [reference] });
    expect(await artifactsOf(subticket)).toEqual([
      log(file),
      { name: `${file} (attempt 2)`, type: 'LOGS', reference },
    ]);
  });

  it('the list of what a failed build has made is not: a package is built on all architectures or not', async () => {
    const ticket = await addTicket(database.now);
    const subticket = await addSubticketOf(ticket.id, 'half');
    const build = await addBuild(database.now, { ticketId: ticket.id });
    await report(database.now, build, 'FAILURE', {
      failure: failureOf('build_failed', 'half on arm64: Failed to build'),
      built: { packages: [], apt: null, lists: [`${STORE}/half_1.0.packages.json`] },
    });
    expect(await artifactsOf(subticket)).toEqual([]);
  });

  it('they go to the subticket of the very version, else to the one that stands', async () => {
    const ticket = await addTicket(database.now);
    const failed = await addSubticketOf(ticket.id, 'replaced', '1.0');
    await database.now.Subticket.updateOne(
      failed.id,
      { currentWorkflowStep: 999, status: 999 },
      TESTS,
    );
    const standing = await addSubticketOf(ticket.id, 'replaced', '2.0');
    const build = await addBuild(database.now, { ticketId: ticket.id });
    const [old, unknown] = ['replaced_1.0_amd64.build.log', 'replaced_3.0_amd64.build.log'];
    await ended(build, [old, unknown]);
    expect(await artifactsOf(failed)).toEqual([log(old)]);
    expect(await artifactsOf(standing)).toEqual([log(unknown)]);
  });

  it('a ticket without such a subticket changes nothing', async () => {
    const build = await addBuild(database.now);
    const before = await database.now.SubticketArtifact.count();
    expect(await ended(build, ['one_1.0_amd64.build.log'])).toMatchObject({ exit: true });
    expect(await database.now.SubticketArtifact.count()).toBe(before);
  });
});
