import { claimPackages } from '../../../activities/landing/claim-packages.ts';
import { AirlineError } from '../../../domain/errors.ts';
import type { LandingPhase } from '../../../domain/landings/landing-phase.ts';
import { landingFailureOf } from '../../../domain/landings/landing-failure.ts';
import { fileNameOfUrl, fileVersion } from '../../../domain/packages/source-file.ts';
import { openLandingBuild } from '../../../models/landings/landing-build.ts';
import { keepFailedMerge, keepMergedSource } from '../../../models/tickets/merged-source.ts';
import { COMMITS, report as reportBuild } from '../../support/rows.ts';
import { createWorld, stepOf, type Resource } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const targets = { ppas: [] as string[], queuePrefixes: [] as string[] };
const api = useApi({ targets });
const world = createWorld(api);
const { get, post, landable } = world;

const PLACE = { series: 'bookworm', target: 'ppa:airline/landed', archive: 'debian' };
const PPA = 'ppa:airline/silo';
const land = ({ id }: { id: number }, fields: object = {}) =>
  post(`ticket/${id}/land/`, { ...PLACE, ppa: PPA, ...fields });

let reports = 0;
/** What the workflow of a landing reports. */
const report = (
  { id, attempt }: { id: number; attempt: number },
  phase: LandingPhase,
  more: object = {},
) => {
  const key = String((reports += 1));
  return api.now.database.LandingEvent.record({ landingId: id, attempt, key, phase, ...more });
};
const ahead = async ({ id }: { id: number }) => api.now.database.LandingClaim.ahead(id);
const packagesOf = async ({ id }: { id: number }) =>
  (await api.now.database.Landing.findByPk(id, { rejectOnEmpty: true })).packages;
const ticketNow = async ({ id }: { id: number }) => (await get(`fullticket/${id}/`)).json;

/** The files of micro in a version, without its epoch, as a build makes them. @param commits of what */
const filesOf = (version: string, commits = version) =>
  ['micro_1.1.orig.tar.gz', `micro_${version}_source.changes`].map(
    (name) => `http://127.0.0.1:9000/${commits}/${name}`,
  );

/** A ticket whose subticket stands for a merge proposal, and what is done with its builds. */
async function proposal() {
  const ticket = await world.ticket();
  const { resource_uri: merge_proposal } = await world.mergeProposal();
  const subticket = await world.subticket(ticket, { source_package_upload: null, merge_proposal });
  const { database } = api.now;
  const request = async (): Promise<Resource> => {
    const place = { series: 'bookworm', ppa: PPA, progress_trigger: 'lander-1' };
    return (await post(`subticket/${subticket.id}/build_proposal/`, place)).json;
  };
  /** Keeps the source of micro that a build has made. */
  const keep = ({ id: buildId }: Resource, version: string, commits?: string) => {
    const files = filesOf(fileVersion(version), commits).map((url) => ({
      name: fileNameOfUrl(url),
      url,
    }));
    return keepMergedSource(database, {
      buildId,
      source: 'micro',
      version,
      files,
      commits: COMMITS,
    });
  };
  const end = ({ id }: Resource, attempt = 1) =>
    reportBuild(database, { id }, 'FAILURE', { attempt });
  return {
    ticket,
    subticket,
    request,
    keep,
    end,
    /** Has a build make the source of micro, and end. */
    async make(version: string, commits?: string) {
      const build = await request();
      await keep(build, version, commits);
      await end(build);
    },
    /** Says what somebody has decided of it. */
    decide: (status: string) => world.patch(merge_proposal.slice('/api/v1/'.length), { status }),
    status: async () => (await get(merge_proposal.slice('/api/v1/'.length))).json.status,
    /** Keeps that a build could make no source. */
    fail: ({ id }: Resource) =>
      keepFailedMerge(
        database,
        id,
        new AirlineError('merge_conflict', 'The branch does not merge'),
      ),
  };
}

describe('a request to land a ticket', () => {
  it('is accepted with what its subtickets stand for, and waits for its workflow', async () => {
    const ticket = await landable('hello', 'ed');
    const { status, json, headers } = await land(ticket);
    expect(status).toBe(202);
    expect(headers.get('location')).toBe(`/api/v1/landing/${json.id}/`);
    const part = { version: '1', state: 'waiting', build_id: null };
    expect(json).toMatchObject({
      ticket_id: ticket.id,
      ppa: PPA,
      target: '~airline/debian/landed',
      target_series: 'bookworm',
      pocket: 'Release',
      phase: 'queued',
      step: '100',
      parts: [
        { ...part, source: 'hello' },
        { ...part, source: 'ed' },
      ],
      attempt: 1,
      workflow_id: `land-${json.id}-ticket-${ticket.id}`,
      finished_at: null,
    });
    expect((await get(`landing/?ticket=${ticket.id}`)).json.objects).toHaveLength(1);
  });

  it('builds in the PPA that is dedicated to the ticket, and asks for it where there is none', async () => {
    const ticket = await landable('joe');
    const place = { ppa: undefined };
    const refused = await land(ticket, place);
    expect(refused.status).toBe(409);
    expect(refused.json.code).toBe('not_landable');
    await world.create('ticketppa/', { ticket: ticket.resource_uri, ppa: 'airline/own' });
    expect((await land(ticket, place)).json.ppa).toBe('airline/own');
  });

  it.each([
    ['that it names', '~airline/ubuntu/named', undefined],
    ['that is dedicated to its ticket', undefined, '~airline/ubuntu/dedicated'],
  ])('has the distribution of the PPA %s', async (_which, ppa, dedicated) => {
    const ticket = await landable('nano');
    if (dedicated)
      await world.create('ticketppa/', { ticket: ticket.resource_uri, ppa: dedicated });
    const wrong = await land(ticket, { ppa, archive: 'debian' });
    expect(wrong).toMatchObject({ status: 400, json: { code: 'invalid_field' } });
    expect(wrong.json.fields).toEqual({
      archive: [`${ppa ?? dedicated} is a PPA of ubuntu, not of debian.`],
    });
    const of = await landable('pico');
    const debian = (name = '') => name.replace('ubuntu', 'debian') || undefined;
    if (dedicated)
      await world.create('ticketppa/', { ticket: of.resource_uri, ppa: debian(dedicated) });
    const { json } = await land(of, { ppa: debian(ppa), archive: undefined });
    expect(json).toMatchObject({ ppa: debian(ppa ?? dedicated), archive: 'debian' });
  });

  it.each([
    ['builds', ['~airline/debian/landed'], []],
    ['publishes', ['~airline/debian/silo'], []],
    ['tells its queue', [], ['airline-']],
  ])(
    'is refused where it %s in a place that is not allowed',
    async (_what, ppas, queuePrefixes) => {
      const ticket = await landable('jed');
      Object.assign(targets, { ppas, queuePrefixes });
      const answer = await land(ticket, { progress_trigger: 'billing' });
      Object.assign(targets, { ppas: [], queuePrefixes: [] });
      expect(answer).toMatchObject({ status: 403, json: { code: 'target_not_allowed' } });
    },
  );

  it('has its builds told to a queue of its ticket where it names none, if that is allowed', async () => {
    const ticket = await landable('sed');
    expect((await land(ticket)).json.progress_trigger).toBe(`airline-ticket-${ticket.id}`);
    Object.assign(targets, { queuePrefixes: ['team-'] });
    const { status, json } = await land(await landable('awk'));
    Object.assign(targets, { queuePrefixes: [] });
    expect({ status, queue: json.progress_trigger }).toEqual({ status: 202, queue: null });
  });

  it('is refused with its numbers where its workflow could not carry its files', async () => {
    const ticket = await landable('nano');
    await api.now.database.sequelize.query(
      `INSERT INTO subticket_artifact (subticket_id, name, reference, type)
       SELECT id, 'a file', 'http://127.0.0.1/' || repeat('x', 4000) || '/nano_1.orig-part' || number || '.tar.gz', 'SPU'
       FROM subticket, generate_series(1, 400) number WHERE ticket_id = $1`,
      { bind: [ticket.id] },
    );
    expect(await land(ticket)).toMatchObject({
      status: 413,
      json: { code: 'build_too_large', error: expect.stringContaining('1 source packages') },
    });
  });

  it('is refused where a merge proposal does not merge any more, as a retry is', async () => {
    const { ticket, subticket, make, request, fail, end } = await proposal();
    await make('1.1-1');
    const { json: landing } = await land(ticket);
    await report(landing, 'failed', {
      failure: landingFailureOf('not_approved', 'approving', 'no'),
    });
    const later = await request();
    await fail(later);
    await end(later);
    const refused = (error: string) => ({ status: 409, json: { code: 'not_landable', error } });
    expect(await land(ticket)).toMatchObject(
      refused(
        `Subticket ${subticket.id} has no source package yet: build its merge proposal first.`,
      ),
    );
    expect(await post(`landing/${landing.id}/retry/`)).toMatchObject(
      refused(`Subticket ${subticket.id} has no source package any more: land the ticket anew.`),
    );
    expect(await ticketNow(ticket)).toMatchObject({ ...stepOf(999), failed_part: 'merge' });
  });

  it('takes the files of the latest build that made a source of a merge proposal', async () => {
    const { ticket, subticket, make, request, end } = await proposal();
    for (const version of ['1.1-1', '1.1-2']) await make(version);
    await end(await request());
    const { status, json } = await land(ticket);
    expect(status).toBe(202);
    expect(await packagesOf(json)).toEqual([
      { subticketId: subticket.id, source: 'micro', version: '1.1-2', files: filesOf('1.1-2') },
    ]);
  });

  it('takes those of an older build that made the source of its subticket when it was retried', async () => {
    const { ticket, make, request, keep, end } = await proposal();
    const older = await request();
    await end(older);
    await make('1.1-2');
    expect((await post(`build/${older.id}/retry/`, {})).status).toBe(202);
    await keep(older, '1:1.1-3');
    await end(older, 2);
    const { json } = await land(ticket);
    expect(await packagesOf(json)).toMatchObject([{ version: '1:1.1-3', files: filesOf('1.1-3') }]);
  });

  it('keeps the source that it has taken, though a build that was cancelled makes another later', async () => {
    const { ticket, subticket, make, request, keep, end } = await proposal();
    await make('1.1-1');
    const cancelled = await request();
    await end(cancelled);
    expect((await land(ticket)).status).toBe(202);
    await keep(cancelled, '1.1-2');
    const { json } = await get(`subticket/${subticket.id}/`);
    expect((await get(json.source_package_upload.slice('/api/v1/'.length))).json.version).toBe(
      '1.1-1',
    );
    const { json: build } = await get(`build/${cancelled.id}/`);
    expect(build.source_packages).toEqual([]);
  });

  it('is refused where somebody has rejected a merge proposal of it, not where that is merged', async () => {
    const { ticket, make, decide } = await proposal();
    await make('1.1-1');
    await decide('rejected');
    expect(await land(ticket)).toMatchObject({
      status: 409,
      json: {
        code: 'not_landable',
        error: expect.stringMatching(/^Merge proposal \d+ of subticket \d+ is rejected\.$/),
      },
    });
    await decide('merged');
    expect((await land(ticket)).status).toBe(202);
  });

  it('leaves the status of its merge proposal, which nobody has merged by publishing it', async () => {
    const { ticket, subticket, make, status } = await proposal();
    await make('1.1-1');
    const before = await status();
    const { json: landing } = await land(ticket);
    await report(landing, 'complete');
    expect((await get(`subticket/${subticket.id}/`)).json).toMatchObject(stepOf(1000));
    expect(await status()).toBe(before);
  });

  it('goes to Proposed of a primary archive unless it says where', async () => {
    const { json } = await land(await landable('mc'), { target: 'ubuntu' });
    expect(json).toMatchObject({ target: 'ubuntu', pocket: 'Proposed' });
  });

  it.each([
    [{ series: undefined }, 'series'],
    [{ target: 'not a PPA' }, 'target'],
    [{ ppa: 'not a PPA' }, 'ppa'],
    [{ pocket: 'Updates' }, 'pocket'],
    [{ pocket: 'Elsewhere' }, 'pocket'],
    [{ progress_trigger: 'amq.mine' }, 'progress_trigger'],
  ])('is refused with %j, which names the field', async (fields, field) => {
    const { status, json } = await land(await landable(world.newName()), fields);
    expect(status).toBe(400);
    expect(json.fields).toHaveProperty(field);
  });

  it('is refused while two subtickets stand for versions of one package, and says which and what helps', async () => {
    const ticket = await landable('ed');
    const [{ id: first }] = ticket.subtickets;
    const { id, resource_uri: subticket } = await world.subticket(ticket, {
      source_package_upload: { sourcepackage: { name: 'ed' }, version: '2' },
    });
    const reference = 'http://127.0.0.1:9000/files/ed_2_source.changes';
    await world.create('subticketartifact/', {
      subticket,
      name: 'changes',
      reference,
      type: 'SPU',
    });
    expect(await land(ticket)).toMatchObject({
      status: 409,
      json: {
        code: 'not_landable',
        error: `Subtickets ${first} and ${id} both stand for ed: delete the one that is not to be landed, or set it to 1000 (Complete).`,
      },
    });
    await world.patch(`updatesubticketstatus/${first}/`, stepOf(1000));
    const { status, json } = await land(ticket);
    expect(status).toBe(202);
    expect(await packagesOf(json)).toMatchObject([{ subticketId: id, version: '2' }]);
  });

  it('is refused where a subticket names no files, and for a ticket that is landed or Complete', async () => {
    const without = await world.ticketOf('nano');
    expect((await land(without)).json).toMatchObject({
      code: 'not_landable',
      error: expect.stringMatching(/names no \.changes of nano/),
    });
    const ticket = await landable('vim');
    const { json } = await land(ticket);
    expect((await land(ticket)).json.code).toBe('conflict');
    await report(json, 'complete');
    expect((await land(ticket)).json.code).toBe('ticket_complete');
    expect((await land({ id: 999_999 })).status).toBe(404);
  });
});

it.each([
  ['2.0-2', 409],
  ['2.0-1', 202],
])(
  'a ticket of version 1:2.0-1 whose files are those of %s is answered with %i',
  async (version, status) => {
    const ticket = await world.ticket();
    const sourcepackage = { name: world.newName() };
    const source_package_upload = { sourcepackage, version: '1:2.0-1' };
    const { id, resource_uri: subticket } = await world.subticket(ticket, {
      source_package_upload,
    });
    await world.create('subticketartifact/', {
      subticket,
      name: 'changes',
      reference: `http://127.0.0.1:9000/files/${sourcepackage.name}_${version}_source.changes`,
      type: 'SPU',
    });
    const answer = await land(ticket);
    expect(answer.status).toBe(status);
    if (status === 409)
      expect(answer.json).toMatchObject({
        code: 'not_landable',
        error: `Subticket ${id} names no .changes of ${sourcepackage.name} 1:2.0-1 among its SPU artifacts.`,
      });
  },
);

describe('landings in line', () => {
  it('wait for those that came first and share a package at their target, and for no other', async () => {
    const [one, other, aside, elsewhere] = [
      (await land(await landable('zsh', 'tcsh'))).json,
      (await land(await landable('tcsh', 'dash'))).json,
      (await land(await landable('mksh'))).json,
      (await land(await landable('tcsh'), { target: 'airline/other' })).json,
    ];
    const last = (await land(await landable('dash', 'zsh'))).json;
    expect(await ahead(one)).toEqual([]);
    expect(await ahead(other)).toEqual([{ landing_id: one.id, ticket_id: one.ticket_id }]);
    expect(await ahead(aside)).toEqual([]);
    expect(await ahead(elsewhere)).toEqual([]);
    expect((await ahead(last)).map(({ landing_id: id }) => id)).toEqual([one.id, other.id]);

    await report(one, 'failed', { failure: landingFailureOf('not_approved', 'approving', 'no') });
    expect(await ahead(other)).toEqual([]);
    const again = (await post(`landing/${one.id}/retry/`)).json;
    expect(again).toMatchObject({ attempt: 2, phase: 'queued', failure: null });
    expect((await ahead(again)).map(({ landing_id: id }) => id)).toEqual([other.id, last.id]);
  });

  it('that are requested at once get a place each, with nobody waiting in a circle', async () => {
    const tickets = [];
    for (let index = 0; index < 8; index++) tickets.push(await landable('bash', 'fish'));
    const landings = await Promise.all(tickets.map((ticket) => land(ticket)));
    const waits = await Promise.all(landings.map(async ({ json }) => (await ahead(json)).length));
    expect(waits.toSorted((one, other) => one - other)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

describe('the estimate of a landing in line', () => {
  const MINUTE_MS = 60_000;
  const AT = { target_series: 'trixie' };
  const nowIs = async ({ id }: Resource) => (await get(`landing/${id}/`)).json;
  const look = async ({ id }: Resource) => claimPackages(api.now)(id);
  /** A completed one, whose phases took so many minutes each. */
  const completed = async (minutes: number) => {
    const { json } = await land(await landable(world.newName()), AT);
    for (const phase of ['building', 'approving', 'complete'] as const) await report(json, phase);
    const { sequelize } = api.now.database;
    await sequelize.query(
      `UPDATE landing_event SET created_at = now() - make_interval(mins => ${minutes} * (3 - seq)) WHERE landing_id = ${json.id}`,
    );
    await sequelize.query(
      `UPDATE landing SET finished_at = (SELECT max(created_at) FROM landing_event WHERE landing_id = id) WHERE id = ${json.id}`,
    );
  };

  it('is null out of line, and says why nobody knows yet', async () => {
    const { json: first } = await land(await landable('ncal'), AT);
    const { json: second } = await land(await landable('ncal'), AT);
    await completed(10);
    await report(first, 'building');
    await look(second);
    expect((await nowIs(first)).estimate).toBeNull();
    expect((await nowIs(second)).estimate).toEqual({
      start_at: null,
      complete_at: null,
      based_on: 1,
      reason: expect.stringMatching(/completed in ~airline\/debian\/landed trixie Release at .+ 1/),
    });
    await report(first, 'cancelled');
    await report(second, 'building');
    expect((await nowIs(second)).estimate).toBeNull();
  });

  it('is the median of what the latest ones took, and in its events', async () => {
    for (const minutes of [10, 20, 90]) await completed(minutes);
    const { json: first } = await land(await landable('moon-buggy'), AT);
    const { json: second } = await land(await landable('moon-buggy'), AT);
    const { json: third } = await land(await landable('moon-buggy'), AT);
    await report(first, 'building');
    const { phase_since: since } = await nowIs(first);
    await look(second);
    await look(third);
    // The one of the test before counts, too: twice 10, 10, 20 and 90 minutes.
    const after = (minutes: number) =>
      new Date(Date.parse(since) + minutes * MINUTE_MS).toISOString();
    const known = { based_on: 4, reason: null };
    const estimates = [
      { start_at: after(30), complete_at: after(60), ...known },
      { start_at: after(60), complete_at: after(90), ...known },
    ];
    expect([(await nowIs(second)).estimate, (await nowIs(third)).estimate]).toEqual(estimates);
    await report(third, 'queued', { ahead: await look(third) });
    const events = (await get(`landing/${third.id}/events/`)).json;
    expect(events.objects[0].estimate).toEqual(estimates[1]);
    expect((await get(`landing/${third.id}/gate/`)).json.estimate).toEqual(estimates[1]);
  });
});

describe('the ticket of a landing', () => {
  it('goes with it through every step to Complete, with its subtickets', async () => {
    const ticket = await landable('less', 'more');
    const { json: landing } = await land(ticket);
    for (const [phase, step] of [
      ['building', 200],
      ['approving', 400],
      ['publishing', 500],
      ['complete', 1000],
    ] as const) {
      await report(landing, phase);
      const { subtickets, ...now } = await ticketNow(ticket);
      expect(now).toMatchObject(stepOf(step));
      expect(subtickets).toMatchObject([stepOf(step), stepOf(step)]);
    }
    const { json } = await get(`ticket/${ticket.id}/history/`);
    expect(json.objects.at(-1)).toMatchObject({ actor: `landing ${landing.id}` });
    const events = (await get(`landing/${landing.id}/events/`)).json;
    expect(events.objects.map(({ seq, step }: Resource) => [seq, step])).toEqual([
      [1, 200],
      [2, 400],
      [3, 500],
      [4, 1000],
    ]);
    expect(events.objects.at(-1).exit).toBe(true);
    expect((await get(`landing/${landing.id}/events/?after=1&limit=2`)).json.objects).toHaveLength(
      2,
    );
  });

  it('fails where the package failed, and is open again when the landing is retried', async () => {
    const ticket = await landable('sed', 'awk');
    const { json: landing } = await land(ticket);
    await report(landing, 'building');
    const failure = landingFailureOf('build_failed', 'building', 'build 7 of awk failed', {
      package: 'awk',
    });
    await report(landing, 'failed', { failure });
    const failed = await ticketNow(ticket);
    expect(failed).toMatchObject({
      ...stepOf(999),
      failed_at_step: '200',
      failure_reason: 'build 7 of awk failed',
      failed_part: 'build',
    });
    expect(failed.subtickets).toMatchObject([stepOf(200), stepOf(999)]);
    expect((await get(`landing/${landing.id}/`)).json.failure).toEqual(failure);

    const { json: again } = await post(`landing/${landing.id}/retry/`);
    await report(again, 'queued');
    const open = await ticketNow(ticket);
    expect(open).toMatchObject({ ...stepOf(100), failed_at_step: null });
    expect(open.subtickets).toMatchObject([stepOf(100), stepOf(100)]);
  });

  it('fails where each of its packages failed, so that each can be replaced', async () => {
    const ticket = await landable('bash', 'dash', 'zsh');
    const { json: landing } = await land(ticket);
    await report(landing, 'building');
    const failure = landingFailureOf('build_failed', 'building', 'both failed', {
      package: 'bash',
      packages: ['bash', 'zsh'],
    });
    await report(landing, 'failed', { failure });
    const { subtickets } = await ticketNow(ticket);
    expect(subtickets).toMatchObject([stepOf(999), stepOf(200), stepOf(999)]);
    expect((await get(`landing/${landing.id}/`)).json.failure).toEqual(failure);
  });

  it('is landed anew without what is published, once the rest has failed', async () => {
    const ticket = await landable('cpio', 'pax');
    const { json: landing } = await land(ticket);
    const partsOf = (...states: string[]) =>
      landing.parts.map((part: object, at: number) => ({ ...part, state: states[at] }));
    await report(landing, 'publishing');
    await report(landing, 'failed', {
      parts: partsOf('published', 'built'),
      failure: landingFailureOf('copy_not_seen', 'publishing', 'no', { package: 'pax' }),
    });
    const failed = await ticketNow(ticket);
    expect(failed).toMatchObject({ ...stepOf(999), failed_at_step: '500' });
    expect(failed.subtickets).toMatchObject([stepOf(1000), stepOf(999)]);

    const { json: again } = await post(`landing/${landing.id}/retry/`);
    await report(again, 'queued', { parts: partsOf('waiting', 'waiting') });
    const open = await ticketNow(ticket);
    expect(open).toMatchObject(stepOf(100));
    expect(open.subtickets).toMatchObject([stepOf(1000), stepOf(100)]);
    await report(again, 'failed', {
      failure: landingFailureOf('build_failed', 'building', 'no', { package: 'cpio' }),
    });
    expect((await ticketNow(ticket)).subtickets).toMatchObject([stepOf(1000), stepOf(100)]);

    const { json: anew } = await land(ticket);
    expect(anew.parts).toMatchObject([{ source: 'pax' }]);
    await report(anew, 'complete');
    expect(await ticketNow(ticket)).toMatchObject(stepOf(1000));
  });

  it('is Complete when a landing is retried that had published all and told nobody', async () => {
    const ticket = await landable('rsync');
    const { json: landing } = await land(ticket);
    const parts = [{ ...landing.parts[0], state: 'published' }];
    await report(landing, 'failed', {
      parts,
      failure: landingFailureOf('internal', 'publishing', 'its workflow is gone'),
    });
    expect(await ticketNow(ticket)).toMatchObject(stepOf(999));
    const { json: again } = await post(`landing/${landing.id}/retry/`);
    await report(again, 'publishing');
    expect(await ticketNow(ticket)).toMatchObject(stepOf(500));
    await report(again, 'complete', { parts });
    expect(await ticketNow(ticket)).toMatchObject(stepOf(1000));
  });

  it('stays Complete once it is: its failed landing is not retried', async () => {
    const ticket = await landable('grep');
    const { json: landing } = await land(ticket);
    await report(landing, 'failed', {
      failure: landingFailureOf('copy_refused', 'publishing', 'no'),
    });
    await world.patch(`updateticketstatus/${ticket.id}/`, stepOf(1000));
    expect(await post(`landing/${landing.id}/retry/`)).toMatchObject({
      status: 409,
      json: { code: 'ticket_complete' },
    });
    expect((await get(`landing/${landing.id}/`)).json).toMatchObject({
      attempt: 1,
      phase: 'failed',
    });
    expect(await ticketNow(ticket)).toMatchObject(stepOf(1000));
  });

  it('lands what stands for it now: a landing of a replaced subticket is not retried', async () => {
    const ticket = await landable('m4');
    const { json: landing } = await land(ticket);
    await report(landing, 'building');
    const failure = landingFailureOf('build_failed', 'building', 'no', { package: 'm4' });
    await report(landing, 'failed', { failure });
    const [failed] = ticket.subtickets;
    const corrected = { sourcepackage: { name: 'm4' }, version: '2' };
    const { id } = await world.subticket(ticket, { source_package_upload: corrected });
    expect(await post(`landing/${landing.id}/retry/`)).toMatchObject({
      status: 409,
      json: {
        code: 'not_landable',
        error: `Subticket ${failed.id} was replaced by subticket ${id}: land the ticket anew.`,
      },
    });
  });

  it('lands what stands for it now: a landing of a deleted subticket is not retried', async () => {
    const ticket = await landable('bc', 'dc');
    const { json: landing } = await land(ticket);
    await report(landing, 'cancelled', {
      failure: landingFailureOf('cancelled', 'queued', 'cancelled by ann'),
    });
    const [{ id }] = ticket.subtickets;
    const named = (await get(`subticketartifact/?subticket=${id}`)).json.objects;
    for (const one of named) await world.delete(`subticketartifact/${one.id}/`);
    expect((await world.delete(`subticket/${id}/`)).status).toBe(204);
    expect(await post(`landing/${landing.id}/retry/`)).toMatchObject({
      status: 409,
      json: {
        code: 'not_landable',
        error: `Subticket ${id} was deleted: land the ticket anew.`,
      },
    });
    expect((await land(ticket)).status).toBe(202);
  });

  it('lands what was made last: a landing from before its merge proposal was built again is not retried', async () => {
    const { ticket, subticket, make } = await proposal();
    await make('1:1.1-1');
    const { json: landing } = await land(ticket);
    await report(landing, 'failed', {
      failure: landingFailureOf('not_approved', 'approving', 'no'),
    });
    const retried = () => post(`landing/${landing.id}/retry/`);
    const refused = (why: string) => ({
      status: 409,
      json: {
        code: 'not_landable',
        error: `Subticket ${subticket.id} ${why}: land the ticket anew.`,
      },
    });
    // Of the same version, but of later commits.
    await make('1:1.1-1', 'later');
    expect(await retried()).toMatchObject(refused('was built again'));
    await make('1:1.1-2');
    expect(await retried()).toMatchObject(refused('is of micro 1:1.1-2 now, not of micro 1:1.1-1'));
    expect((await get(`landing/${landing.id}/`)).json).toMatchObject({ attempt: 1 });

    const { json: anew } = await land(ticket);
    await report(anew, 'failed', { failure: landingFailureOf('not_approved', 'approving', 'no') });
    expect((await post(`landing/${anew.id}/retry/`)).status).toBe(202);
  });

  it('lands no merge proposal once more that somebody has rejected since', async () => {
    const { ticket, make, decide } = await proposal();
    await make('1.1-1');
    const { json: landing } = await land(ticket);
    await report(landing, 'failed', {
      failure: landingFailureOf('copy_not_seen', 'publishing', 'no'),
    });
    await decide('rejected');
    const retried = () => post(`landing/${landing.id}/retry/`);
    expect(await retried()).toMatchObject({
      status: 409,
      json: { code: 'not_landable', error: expect.stringContaining('is rejected') },
    });
    await decide('approved');
    expect((await retried()).status).toBe(202);
  });

  it('publishes no merge proposal that is rejected meanwhile: that is refused while it is under way', async () => {
    const { ticket, subticket, make, decide, status } = await proposal();
    await make('1.1-1');
    const { json: landing } = await land(ticket);
    const { merge_proposal: uri } = subticket;
    const refused = {
      status: 409,
      json: {
        code: 'ticket_under_way',
        error: `Landing ${landing.id} of ticket ${ticket.id} is under way, so merge proposal ${uri.split('/').at(-2)} stays as it is: cancel the landing first.`,
      },
    };
    expect(await decide('rejected')).toMatchObject(refused);
    const objects = [{ resource_uri: uri, status: 'rejected' }];
    expect(await world.patch('mergeproposal/', { objects })).toMatchObject({
      status: 409,
      json: { code: 'ticket_under_way' },
    });
    expect((await decide('approved')).status).toBe(202);
    expect(await status()).toBe('approved');
    await report(landing, 'cancelled', {
      failure: landingFailureOf('cancelled', 'building', 'cancelled by ann'),
    });
    expect((await decide('rejected')).status).toBe(202);
  });

  it('lands once more what is published, though its merge proposal is rejected since, and leaves it so', async () => {
    const { ticket, make, decide, status } = await proposal();
    await make('1.1-1');
    const { json: landing } = await land(ticket);
    await report(landing, 'failed', {
      parts: landing.parts.map((part: object) => ({ ...part, state: 'published' })),
      failure: landingFailureOf('internal', 'publishing', 'no'),
    });
    await decide('rejected');
    const { status: answer, json: again } = await post(`landing/${landing.id}/retry/`);
    expect(answer).toBe(202);
    expect((await decide('needs_review')).status).toBe(202);
    expect((await decide('rejected')).status).toBe(202);
    await report(again, 'complete');
    expect(await ticketNow(ticket)).toMatchObject(stepOf(1000));
    expect(await status()).toBe('rejected');
  });

  it('lands no source that is about to be replaced: a merge proposal is built, or its ticket landed', async () => {
    const { ticket, subticket, request, keep, end } = await proposal();
    const failed = await request();
    await end(failed);
    const made = await request();
    await keep(made, '1.1-1');
    const underWay = {
      status: 409,
      json: {
        code: 'not_landable',
        error: `Build ${made.id} of the merge proposal of subticket ${subticket.id} is under way: land when it has ended.`,
      },
    };
    expect(await land(ticket)).toMatchObject(underWay);
    await end(made);

    const { json: landing } = await land(ticket);
    const conflict = {
      code: 'conflict',
      error: `Landing ${landing.id} lands ticket ${ticket.id}: build its merge proposal again when that has ended.`,
    };
    expect(await request()).toMatchObject(conflict);
    expect((await post(`build/${failed.id}/retry/`, {})).json).toMatchObject(conflict);

    await report(landing, 'failed', {
      failure: landingFailureOf('not_approved', 'approving', 'no'),
    });
    const { id } = await request();
    expect(await post(`landing/${landing.id}/retry/`)).toMatchObject({
      status: 409,
      json: { error: expect.stringContaining(`Build ${id} of the merge proposal`) },
    });
  });

  it('fails by itself where nobody approves: its subtickets stay where they were', async () => {
    const ticket = await landable('tar');
    const { json: landing } = await land(ticket);
    await report(landing, 'approving');
    const failure = landingFailureOf('approval_timed_out', 'approving', 'nobody decided');
    await report(landing, 'failed', { failure });
    const failed = await ticketNow(ticket);
    expect(failed).toMatchObject({ ...stepOf(999), failed_at_step: '400' });
    expect(failed.subtickets).toMatchObject([stepOf(400)]);
  });
});

describe('a landing that stops', () => {
  it.each([
    ['queued', 'cancelled', '100'],
    ['leasing', 'cancelled', '100'],
    ['building', 'cancelled', '200'],
    ['imaging', 'cancelled', '300'],
    ['testing', 'cancelled', '400'],
    ['approving', 'cancelled', '400'],
    ['building', 'dependency_cycle', '200'],
    ['testing', 'test_regression', '400'],
    ['approving', 'approval_timed_out', '400'],
    ['publishing', 'copy_refused', '500'],
  ] as const)(
    'while it is %s (%s) leaves its ticket Failed at step %s',
    async (phase, why, step) => {
      const ticket = await landable('ed');
      const { json: landing } = await land(ticket);
      await report(landing, phase);
      const failure = landingFailureOf(why, phase, 'It stops here.');
      await report(landing, why === 'cancelled' ? why : 'failed', { failure });
      expect(await ticketNow(ticket)).toMatchObject({ ...stepOf(999), failed_at_step: step });
      const { verdict, criteria } = (await get(`landing/${landing.id}/gate/`)).json;
      expect(verdict).toBe('blocked');
      expect(criteria[0].state).toBe('not_met');
    },
  );
});

describe('a build of a landing', () => {
  it('has the address of the landing, also once a person has retried it', async () => {
    const ticket = await landable('landed-here');
    const { json: landing } = await land(ticket);
    const { database } = api.now;
    const of = { landingId: landing.id, attempt: 1, source: 'landed-here' };
    const { id } = await openLandingBuild(database.sequelize, database, of);
    await reportBuild(database, { id }, 'FAILURE');
    await report(landing, 'failed');
    await post(`build/${id}/retry/`, {});
    const shown = { id, landing: landing.resource_uri, requested_by: 'anonymous' };
    for (const list of ['build', 'buildsummary'])
      expect((await get(`${list}/${id}/`)).json).toMatchObject(shown);
    expect((await ticketNow(ticket)).builds).toMatchObject([shown]);
  });

  it('is retried by itself once the landing has ended, which then waits for its end', async () => {
    const { json: landing } = await land(await landable('nnn'));
    const { database } = api.now;
    const of = { landingId: landing.id, attempt: 1, source: 'nnn' };
    const build = await openLandingBuild(database.sequelize, database, of);
    await reportBuild(database, build, 'FAILURE');
    const retryBuild = () => post(`build/${build.id}/retry/`, {});
    expect(await retryBuild()).toMatchObject({
      status: 409,
      json: { code: 'conflict', error: expect.stringContaining(`Landing ${landing.id} is queued`) },
    });
    await report(landing, 'failed');
    expect((await retryBuild()).status).toBe(202);
    const retryLanding = () => post(`landing/${landing.id}/retry/`);
    expect(await retryLanding()).toMatchObject({
      status: 409,
      json: { code: 'conflict', error: expect.stringContaining(`Build ${build.id} of landing`) },
    });
    await reportBuild(database, build, 'FAILURE', { attempt: 2 });
    expect((await retryLanding()).status).toBe(202);
  });
});

describe('the events of a landing', () => {
  it('are recorded once each, and none after the end of an attempt', async () => {
    const { json: landing } = await land(await landable('gzip'));
    const once = { landingId: landing.id, attempt: 1, key: 'once', phase: 'building' as const };
    const { LandingEvent } = api.now.database;
    const [first, second] = [await LandingEvent.record(once), await LandingEvent.record(once)];
    expect(second).toEqual(first);
    await report(landing, 'cancelled', {
      failure: landingFailureOf('cancelled', 'building', 'cancelled by ann'),
    });
    expect(await report(landing, 'publishing')).toBeNull();
    expect((await get(`landing/${landing.id}/`)).json.phase).toBe('cancelled');
  });
});

describe('what people decide of a landing', () => {
  it('is kept with the name and the reason, once, while it waits for it', async () => {
    const { json: landing } = await land(await landable('bzip2'));
    const decide = (fields: object) => post(`landing/${landing.id}/decide/`, fields);
    const approval = { decision: 'approve', comment: 'Tried by hand.' };
    expect((await decide(approval)).json).toMatchObject({
      code: 'conflict',
      error: expect.stringMatching(/waits for no decision: it is queued/),
    });
    await report(landing, 'approving');
    const { status, json } = await decide({ decision: 'approve', comment: ' ' });
    expect(status).toBe(400);
    expect(json.fields).toEqual({ comment: ['Say why.'] });
    for (const comment of ['a\u0000b', 'a\ud800'])
      expect((await decide({ decision: 'approve', comment })).json.fields).toEqual({
        comment: ['The text has characters that cannot be stored.'],
      });
    expect((await decide({ decision: 'perhaps' })).json).toMatchObject({
      error: 'decision: Enter approve or reject. comment: This field is required.',
      fields: { comment: ['This field is required.'] },
    });
    const decided = await decide(approval);
    expect(decided.status).toBe(202);
    expect(decided.json.decision).toEqual({ ...approval, by: 'anonymous' });
    expect((await decide({ decision: 'reject', comment: 'No.' })).json.error).toMatch(
      /has a decision: approve, by anonymous/,
    );
  });

  it('counts for the attempt and the round alone that it names', async () => {
    const { json: landing } = await land(await landable('dash'));
    const read = async () => (await get(`landing/${landing.id}/`)).json;
    const decide = (fields: object) =>
      post(`landing/${landing.id}/decide/`, { decision: 'approve', comment: 'Tried.', ...fields });
    await report(landing, 'approving');
    const { attempt, phase_since: seen } = await read();
    for (const phase of ['imaging', 'approving'] as const) await report(landing, phase);
    const { phase_since: since } = await read();

    const other = {
      code: 'conflict',
      error: `Landing ${landing.id} waits for another decision than this: attempt 1, since ${since}.`,
      hint: expect.stringMatching(/^Read .* then decide/),
    };
    for (const fields of [{ approving_since: seen }, { attempt: 2 }])
      expect(await decide(fields)).toMatchObject({ status: 409, json: other });
    expect((await decide({ attempt: 'first', approving_since: 'now' })).json.fields).toEqual({
      attempt: ['Enter the number of an attempt.'],
      approving_since: ['Enter a time with its zone, such as 2026-04-16T00:00:00Z.'],
    });
    expect((await read()).decision).toBeNull();
    expect((await decide({ attempt, approving_since: since })).status).toBe(202);
  });

  it('is told in the history why all is tested on new base images', async () => {
    const ticket = await landable('gzip');
    const { json: landing } = await land(ticket);
    await report(landing, 'testing');
    const tests = {
      planned: 1,
      finished: 0,
      left: 0,
      verdict: 'waits',
      verdicts: {},
      renewed: true,
    } as const;
    expect(await report(landing, 'imaging', { tests })).toMatchObject({ tests });
    const { objects } = (await get(`ticket/${ticket.id}/history/`)).json;
    expect(objects.map(({ reason }: Resource) => reason)).toContain(
      `landing ${landing.id} is imaging: the base images of before may be older than what was built`,
    );
    const gate = (await get(`landing/${landing.id}/gate/`)).json;
    const why = gate.criteria.find(({ name }: Resource) => name === 'tests');
    expect(why.why).toContain('The packages are tested again on new base images');
    await report(landing, 'failed');
  });

  it('is told to count no more where the target has moved, until it is published', async () => {
    const ticket = await landable('gzip');
    const { json: landing } = await land(ticket);
    await report(landing, 'approving');
    await post(`landing/${landing.id}/decide/`, { decision: 'approve', comment: 'Tried.' });
    const target_moved = ['libc6 2.39-2'];
    const now = async () => (await get(`landing/${landing.id}/`)).json;
    expect(await now()).toMatchObject({ target_moved: null });
    await report(landing, 'imaging', { targetMoved: target_moved });
    for (const phase of ['imaging', 'testing', 'approving'] as const)
      expect(await report(landing, phase)).toMatchObject({ phase, target_moved });
    expect(await now()).toMatchObject({ decision: null, target_moved });
    const { objects } = (await get(`ticket/${ticket.id}/history/`)).json;
    expect(objects.map(({ reason }: Resource) => reason)).toContain(
      `landing ${landing.id} is imaging: the target got libc6 2.39-2 since the packages were tested`,
    );
    const gate = (await get(`landing/${landing.id}/gate/`)).json;
    const approval = gate.criteria.find(({ name }: Resource) => name === 'approval');
    expect(approval.why).toContain('the target got libc6 2.39-2 since the packages were tested.');
    expect(await report(landing, 'publishing')).not.toHaveProperty('target_moved');
    expect(await now()).toMatchObject({ target_moved: null });
  });

  it('is no cancellation any more once it is published', async () => {
    const { json: landing } = await land(await landable('xz'));
    const cancel = () => post(`landing/${landing.id}/cancel/`);
    expect((await cancel()).json.cancel_requested_by).toMatch(/^anonymous \(request /);
    // The workflow, which has not heard of it yet, gets no further.
    expect(await report(landing, 'publishing')).toBeNull();
    const { json: late } = await land(await landable('zstd'));
    await report(late, 'publishing');
    expect((await post(`landing/${late.id}/cancel/`)).json.code).toBe('conflict');
    await report(landing, 'cancelled');
    expect((await cancel()).json.error).toMatch(/has ended: it is cancelled/);
    expect((await post(`landing/${late.id}/retry/`)).json.error).toMatch(/nothing to retry/);
    expect((await post('landing/999999/cancel/')).status).toBe(404);
  });
});
