import { openDatabase } from '../../../models/database.ts';
import { keepMergedSource } from '../../../models/tickets/merged-source.ts';
import { waitsForLock } from '../../support/lock-waits.ts';
import { COMMITS, report, TESTS } from '../../support/rows.ts';
import { until } from '../../support/until.ts';
import { createWorld, stepOf, type Resource } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const targets = { ppas: [] as string[], queuePrefixes: [] as string[] };
const api = useApi({ targets });
const world = createWorld(api);
const { get, patch, post } = world;

const TARGET = { series: 'bookworm', ppa: 'ppa:airline/demo', progress_trigger: 'lander-1' };

/** A subticket of a ticket of its own, for a merge proposal of its own unless one is given. */
async function proposed(proposal?: Resource) {
  const { resource_uri } = proposal ?? (await world.mergeProposal());
  const ticket = await world.ticket();
  const subticket = await world.subticket(ticket, {
    source_package_upload: null,
    merge_proposal: resource_uri,
  });
  return { ticket, subticket, proposal: resource_uri };
}
const build = ({ id }: { id: number }, fields: object = {}) =>
  post(`subticket/${id}/build_proposal/`, { ...TARGET, ...fields });
const end = async (id: number) =>
  api.now.database.ProgressEvent.record({ buildId: id, key: 'final', message: 'COMPLETE' });

describe('a subticket', () => {
  it('stands for a merge proposal, which the full ticket shows', async () => {
    const { ticket, subticket, proposal } = await proposed();
    expect(subticket).toMatchObject({ source_package_upload: null, merge_proposal: proposal });
    const full = (await get(`fullticket/${ticket.id}/`)).json;
    expect(full.subtickets).toMatchObject([
      { source_package_upload: null, merge_proposal: { resource_uri: proposal } },
    ]);
    expect(full.components).toEqual([]);
    const { json } = await get(`subticket/?merge_proposal=${proposal.split('/')[4]}`);
    expect(json.meta.total_count).toBe(1);
  });

  it('is made with its proposal in a bundle', async () => {
    const { submitter, branch } = await world.mergeProposal();
    const { status, json } = await post('ticket/bundle/', {
      owner: 'dev@example.org',
      title: 'A fix',
      subtickets: [{ merge_proposal: { branch, submitter, status: 'approved' } }],
    });
    expect(status).toBe(201);
    expect(json.subtickets).toMatchObject([{ merge_proposal: { status: 'approved', branch } }]);
  });

  it('stands for either an upload or a proposal, not for both or none', async () => {
    const { resource_uri: merge_proposal } = await world.mergeProposal();
    const { resource_uri: source_package_upload } = await world.upload();
    const { resource_uri: ticket } = await world.ticket();
    const both = await post('subticket/', { ticket, merge_proposal, source_package_upload });
    expect(both.status).toBe(400);
    expect(both.json).toHaveProperty('subticket.merge_proposal');
    const none = await post('subticket/', { ticket });
    expect(none.status).toBe(400);
    expect(none.json.error).toMatch(/'source_package_upload' field has no data/);
  });

  it('stands for uploads only in phase 0', async () => {
    const phase0 = openDatabase(api.now.databaseUrl, 1, { phase: '0' });
    try {
      const { id: mergeProposalId } = await world.mergeProposal();
      const { id: ticketId } = await world.ticket();
      const values = { ticketId, mergeProposalId, sourcePackageUploadId: null, assignee: '' };
      await expect(phase0.Subticket.createOne(values, TESTS)).rejects.toMatchObject({
        code: 'phase_forbids_proposals',
      });
    } finally {
      await phase0.close();
    }
  });

  it('that failed is replaced by another for the same proposal', async () => {
    const { ticket, subticket, proposal } = await proposed();
    await patch(`updatesubticketstatus/${subticket.id}/`, stepOf(999));
    const fields = { source_package_upload: null, merge_proposal: proposal };
    const another = await world.subticket(ticket, fields);
    expect((await get(`subticket/${subticket.id}/`)).json.replaced_by).toBe(another.resource_uri);
    expect((await build(subticket)).json.code).toBe('conflict');
  });

  it('makes its proposal merged when it is Complete', async () => {
    const { subticket, proposal } = await proposed();
    await patch(`updatesubticketstatus/${subticket.id}/`, stepOf(1000));
    expect((await get(proposal.slice('/api/v1/'.length))).json.status).toBe('merged');
  });

  it('makes its proposal merged only once it has not failed by its status', async () => {
    const { subticket, proposal } = await proposed();
    const statusAfter = async (move: object) => {
      await patch(`updatesubticketstatus/${subticket.id}/`, move);
      return (await get(proposal.slice('/api/v1/'.length))).json.status;
    };
    expect(await statusAfter(stepOf(1000, 999))).toBe('needs_review');
    expect(await statusAfter({ status: '1000' })).toBe('merged');
  });

  it('that another has taken the place of leaves its proposal as it is when it is Complete', async () => {
    const { ticket, subticket, proposal } = await proposed();
    await patch(`updatesubticketstatus/${subticket.id}/`, stepOf(999));
    // An upload made by hand.
    const another = await world.subticket(ticket);
    expect((await get(`subticket/${subticket.id}/`)).json.replaced_by).toBe(another.resource_uri);
    await patch(`updatesubticketstatus/${subticket.id}/`, stepOf(1000));
    expect((await get(proposal.slice('/api/v1/'.length))).json.status).toBe('needs_review');
  });

  it('that is deleted while it is made Complete leaves its proposal as it is', async () => {
    const { subticket, proposal } = await proposed();
    const { sequelize, Subticket } = api.now.database;
    const { moved } = await sequelize.transaction(async (transaction) => {
      await Subticket.deleteOne(subticket.id, { ...TESTS, transaction });
      const answer = patch(`updatesubticketstatus/${subticket.id}/`, stepOf(1000));
      await until('the move waits for the ticket', () => waitsForLock(sequelize));
      return { moved: answer };
    });
    expect(await moved).toMatchObject({ status: 404 });
    expect((await get(proposal.slice('/api/v1/'.length))).json.status).toBe('needs_review');
  });
});

describe('a merge proposal', () => {
  it.each([
    ['source_repository', 'file:///etc'],
    ['source_repository', 'ext::sh -c id'],
    ['source_repository', 'https://me:secret@example.org/x.git'],
    ['target_repository', '--upload-pack=id'],
    ['source_branch', '--upload-pack=id'],
    ['source_branch', 'a..b'],
    ['target_branch', 'a b'],
    ['packaging_branch', '+refs/*:refs/*'],
  ])('has no %s %s', async (field, value) => {
    const proposal = await world.mergeProposal();
    const { status, json } = await patch(`mergeproposal/${proposal.id}/`, { [field]: value });
    expect(status).toBe(400);
    expect(Object.keys(json.mergeproposal)).toEqual([field]);
  });
});

describe('POST subticket/<id>/build_proposal/', () => {
  it('accepts a build that makes its source of the proposal as it is now', async () => {
    const { ticket, subticket, proposal } = await proposed(
      await world.mergeProposal({ status: 'work_in_progress' }),
    );
    const before = api.now.dispatchWakes();
    const answer = await build(subticket);
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 202 });
    expect(answer.json).toMatchObject({
      ticket: ticket.resource_uri,
      subticket: subticket.resource_uri,
      source_packages: [],
      archive: 'ubuntu',
      phase: 'queued',
      workflow_id: `build-${answer.json.id}-ticket-${ticket.id}-merge`,
      merge: {
        merge_proposal: proposal,
        source_repository: 'http://127.0.0.1:9000/hello.git',
        source_branch: 'fix',
        target_branch: 'main',
        packaging_branch: '',
      },
    });
    expect(answer.headers.get('location')).toBe(answer.json.resource_uri);
    expect(api.now.dispatchWakes()).toBe(before + 1);
    expect((await get(proposal.slice('/api/v1/'.length))).json.status).toBe('needs_review');
    const events = (await get(`build/${answer.json.id}/events/`)).json.objects;
    expect(events).toMatchObject([{ seq: 1, state: 'WAITING', phase: 'queued' }]);
  });

  it('shows of which commits the source was made once it is', async () => {
    const { subticket } = await proposed();
    const { json: accepted } = await build(subticket);
    expect(accepted.merge).not.toHaveProperty('commits');
    await keepMergedSource(api.now.database, {
      buildId: accepted.id,
      source: 'hello',
      version: '1.1',
      files: [],
      commits: COMMITS,
    });
    const { json: made } = await get(`build/${accepted.id}/`);
    expect(made.merge).toEqual({ ...accepted.merge, commits: COMMITS });
  });

  it('refuses a build in a place that is not allowed', async () => {
    const { subticket } = await proposed();
    targets.ppas = ['~somebody/*'];
    const answer = await build(subticket);
    targets.ppas = [];
    expect(answer).toMatchObject({ status: 403, json: { code: 'target_not_allowed' } });
  });

  it('takes one build of a branch at a time, retries included', async () => {
    const one = await world.mergeProposal();
    const first = await proposed(one);
    const second = await proposed(await world.mergeProposal({ branch: one.branch }));
    const { json: running } = await build(first.subticket);
    const refused = await build(second.subticket);
    expect(refused).toMatchObject({ status: 409, json: { code: 'branch_busy' } });
    expect(refused.json.error).toContain(`/api/v1/build/${running.id}/`);
    const { branch } = await world.mergeProposal();
    const moved = await patch(`mergeproposal/${one.id}/`, { branch });
    expect(moved).toMatchObject({ status: 409, json: { code: 'branch_busy' } });
    const stays = await patch(`mergeproposal/${one.id}/`, { branch: one.branch });
    expect(stays.status).toBe(202);
    await api.now.database.ProgressEvent.record({
      buildId: running.id,
      key: 'final',
      message: 'FAILURE',
    });
    const { json: another } = await build(second.subticket);
    const retry = await post(`build/${running.id}/retry/`, {});
    expect(retry).toMatchObject({ status: 409, json: { code: 'branch_busy' } });
    await end(another.id);
    expect((await post(`build/${running.id}/retry/`, {})).status).toBe(202);
    const free = await patch(second.proposal.slice('/api/v1/'.length), { branch });
    expect(free.status).toBe(202);
  });

  it('takes one build of a branch at a time where two rows of a name stand for it', async () => {
    const owner = { name: 'Ada', email: 'ada@example.org' };
    const branch = { unique_name: '~dev/hello/fix', owner, type: 'regular' };
    const [one, other] = [
      await world.mergeProposal({ branch }),
      await world.mergeProposal({ branch }),
    ];
    expect(one.branch).not.toBe(other.branch);
    const [first, second] = [await proposed(one), await proposed(other)];
    const { json: running } = await build(first.subticket);
    const refused = await build(second.subticket);
    expect(refused).toMatchObject({ status: 409, json: { code: 'branch_busy' } });
    expect(refused.json.error).toContain(`/api/v1/build/${running.id}/`);
    const address = one.branch.slice('/api/v1/'.length);
    const renamed = await patch(address, { unique_name: '~dev/hello/other' });
    expect(renamed).toMatchObject({ status: 409, json: { code: 'branch_busy' } });
    expect((await patch(address, { unique_name: branch.unique_name })).status).toBe(202);
    await end(running.id);
    for (const unique_name of ['~dev/hello/other', branch.unique_name])
      expect((await patch(address, { unique_name })).status).toBe(202);
    const answers = await Promise.all([build(first.subticket), build(second.subticket)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409]);
  });

  it.each<[string, RegExp, (made: Awaited<ReturnType<typeof proposed>>) => Promise<unknown>]>([
    [
      'whose proposal is rejected by then',
      /stands for \/api\/v1\/mergeproposal\/\d+\/, which is rejected/,
      ({ proposal }) => patch(proposal.slice('/api/v1/'.length), { status: 'rejected' }),
    ],
    [
      'whose subticket is Complete by then',
      /is Complete/,
      ({ subticket }) => patch(`updatesubticketstatus/${subticket.id}/`, stepOf(1000)),
    ],
    [
      'whose subticket was replaced',
      /was replaced by subticket \d+/,
      async ({ ticket, subticket, proposal: merge_proposal }) => {
        await patch(`updatesubticketstatus/${subticket.id}/`, stepOf(999));
        await world.subticket(ticket, { source_package_upload: null, merge_proposal });
      },
    ],
  ])('takes no retry that would merge %s', async (_, why, change) => {
    const made = await proposed();
    await world.subticket(made.ticket);
    const { json: failed } = await build(made.subticket);
    await report(api.now.database, failed, 'FAILURE');
    await change(made);
    const retry = await post(`build/${failed.id}/retry/`, {});
    expect(retry).toMatchObject({ status: 409, json: { code: 'conflict' } });
    expect(retry.json.error).toMatch(why);
  });

  it.each([
    ['request', false],
    ['retry', true],
  ])('takes no %s of a proposal that is rejected while it comes', async (_, isRetry) => {
    const { subticket, proposal } = await proposed(
      await world.mergeProposal({ status: 'work_in_progress' }),
    );
    const { database } = api.now;
    let ask = () => build(subticket);
    if (isRetry) {
      const { json: failed } = await build(subticket);
      await report(database, failed, 'FAILURE');
      ask = () => post(`build/${failed.id}/retry/`, {});
    }
    const { asked } = await database.sequelize.transaction(async (transaction) => {
      const id = Number(proposal.split('/')[4]);
      await database.MergeProposal.updateOne(id, { status: 'rejected' }, { ...TESTS, transaction });
      const answer = ask();
      await until('it waits for the proposal', () => waitsForLock(database.sequelize));
      return { asked: answer };
    });
    expect(await asked).toMatchObject({ status: 409, json: { code: 'conflict' } });
    expect((await get(proposal.slice('/api/v1/'.length))).json.status).toBe('rejected');
  });

  it('takes one of two requests that come at once', async () => {
    const { subticket } = await proposed();
    const answers = await Promise.all([build(subticket), build(subticket)]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      202, 409,
    ]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['is merged', { status: 'merged' }, 'conflict'],
    ['is rejected', { status: 'rejected' }, 'conflict'],
    ['has no repository', { source_repository: '' }, 'conflict'],
    [
      'is on a host that is not allowed',
      { target_repository: 'http://else.example/x.git' },
      'host_not_allowed',
    ],
  ])('refuses a proposal that %s', async (_, fields, code) => {
    const { subticket } = await proposed(await world.mergeProposal(fields));
    expect((await build(subticket)).json.code).toBe(code);
  });

  it('refuses what is wrong with the request, and what is no proposal', async () => {
    const { ticket, subticket } = await proposed();
    const wrong = await build(subticket, { ppa: 'x y', progress_trigger: '', series: undefined });
    expect(wrong.json.code).toBe('invalid_field');
    expect(Object.keys(wrong.json.fields).toSorted()).toEqual([
      'ppa',
      'progress_trigger',
      'series',
    ]);
    const upload = await world.subticket(await world.ticket());
    expect((await build(upload)).json.code).toBe('conflict');
    expect((await build({ id: 999_999_999 })).status).toBe(404);
    await patch(`updateticketstatus/${ticket.id}/`, stepOf(1000));
    expect((await build(subticket)).json.code).toBe('ticket_complete');
  });
});
