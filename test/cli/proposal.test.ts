import { useApi } from '../api/serve.ts';
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
    const second = await run('build', id.trim(), ...target);
    expect(second.code).toBe(5);
    expect(second.stderr).toContain('branch');
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
