import { useApi } from '../api/serve.ts';
import { keepMergedSource } from '../../models/tickets/merged-source.ts';
import { COMMITS } from '../support/rows.ts';
import { createWorld } from '../support/world.ts';
import { call } from './call.ts';

describe('airline subticket, of a merge proposal', () => {
  const api = useApi();
  const world = createWorld(api);
  const run = (...args: string[]) =>
    call(['subticket', ...args], { env: { AIRLINE_URL: api.now.url }, columns: 100 });
  const target = ['--ppa', 'ppa:team/landing', '--series', 'noble'];

  it('adds it to a ticket, and requests its build once', async () => {
    const ticket = await world.ticket();
    const person = { name: 'Ada', email: 'ada@example.org' };
    const repository = 'http://127.0.0.1:9/hello.git';
    const proposal = await world.create('mergeproposal/', {
      branch: { unique_name: 'fix', owner: person, type: 'regular' },
      submitter: person,
      status: 'needs_review',
      source_repository: repository,
      source_branch: 'fix',
      target_repository: repository,
      target_branch: 'main',
    });
    const which = ['--ticket', String(ticket.id), '--proposal', String(proposal.id)];
    const { code, stdout: id } = await run('propose', ...which, '--quiet');
    expect(code).toBe(0);
    expect((await run('show', id.trim())).stdout).toMatch(
      new RegExp(`Ticket +${ticket.id}\\n[^]*Merge proposal +${proposal.id}\\n`),
    );

    const { stdout: build } = await run('build', id.trim(), ...target);
    const made = await api.now.database.Build.findOne({ rejectOnEmpty: true });
    expect(build).toBe(`Build ${made.id}: airline build watch ${made.id}\n`);
    expect(made).toMatchObject({
      ppa: 'ppa:team/landing',
      series: 'noble',
      archive: 'ubuntu',
      progressTrigger: `airline-cli-subticket-${id.trim()}`,
    });
    const shown = () =>
      call(['build', 'show', String(made.id)], { env: { AIRLINE_URL: api.now.url }, columns: 100 });
    expect((await shown()).stdout).toContain(`fix into main of ${repository}\n`);
    const source = { source: 'hello', version: '1.1', files: [], commits: COMMITS };
    await keepMergedSource(api.now.database, { buildId: made.id, ...source });
    expect((await shown()).stdout).toMatch(
      /\n *Merges +123456789012 of fix into abcdef0987ab of main of http/,
    );
    const second = await run('build', id.trim(), ...target);
    expect(second.code).toBe(5);
    expect(second.stderr).toContain('branch');
  });

  it('does it all by commands alone, from the proposal to its build', async () => {
    const ticket = await world.ticket();
    const person = await world.person({ name: 'Ben', email: 'ben@example.org' });
    const airline = (...args: string[]) =>
      call(args, { env: { AIRLINE_URL: api.now.url }, columns: 200 });
    const merging = [
      '--source=http://127.0.0.1:9/ben/hello.git',
      '--source-branch=fix',
      '--target=http://127.0.0.1:9/hello.git',
      '--target-branch=main',
    ];
    const create = (...more: string[]) => airline('mergeproposal', 'create', ...merging, ...more);
    const made = await create('--submitter', 'Ben@Example.org');
    const id = /^Merge proposal (\d+): /.exec(made.stdout)?.[1] ?? '';
    expect(made.stdout).toBe(
      `Merge proposal ${id}: http://127.0.0.1:9/ben/hello.git fix into http://127.0.0.1:9/hello.git main\n`,
    );
    const again = JSON.parse((await create('--submitter', String(person.id), '--json')).stdout);
    const shown = JSON.parse((await airline('mergeproposal', 'show', id, '--json')).stdout);
    expect(again).toEqual({
      ...shown,
      id: again.id,
      resource_uri: again.resource_uri,
      created_at: again.created_at,
      updated_at: again.updated_at,
    });
    expect((await airline('mergeproposal', 'show', id)).stdout).toMatch(
      /Status +needs_review\n +Source +http:\S+ fix\n +Target +http:\S+ main\n/,
    );
    const list = ['mergeproposal', 'list', '--submitter', 'ben@example.org', '--quiet'];
    expect((await airline(...list)).stdout).toBe(`${again.id}\n${id}\n`);
    expect((await airline(...list, '--status', 'merged')).stdout).toBe('');

    const part = await run('propose', '--ticket', String(ticket.id), '--proposal', id, '--quiet');
    const webhook = await world.create('webhook/', { url: 'http://127.0.0.1:9/hook' });
    const told = ['--webhook', String(webhook.id), '--json'];
    const build = await run('build', part.stdout.trim(), ...target, ...told);
    expect(JSON.parse(build.stdout)).toMatchObject({
      merge: { merge_proposal: `/api/v1/mergeproposal/${id}/`, source_branch: 'fix' },
      progress_trigger: null,
      webhook_id: webhook.id,
    });

    const nobody = await create('--submitter', 'nobody@example.org');
    expect(nobody).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('airline person create'),
    });
  });

  it('refuses to merge what stands for an upload', async () => {
    const { id } = await world.subticket(await world.ticket());
    const refused = await run('build', String(id), ...target);
    expect(refused).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('stands for an upload'),
    });
  });
});
