import type { TestApi } from '../api/serve.ts';

/** Creates a few of everything, so that requests find what they ask for. */
export async function seedRows(api: TestApi): Promise<void> {
  for (let number = 1; number <= 3; number++) {
    const sourcepackage = await create('sourcepackage', { name: `package-${number}` });
    const source_package_upload = await create('spu', { sourcepackage, version: `${number}.0-1` });
    const ticket = await create('ticket', { owner: 'dev@example.org', title: `Fix ${number}` });
    const subticket = await create('subticket', {
      ticket,
      source_package_upload,
      assignee: 'dev@example.org',
    });
    const artifact = { name: 'log', type: 'LOGS', reference: 'http://127.0.0.1:9000/log' };
    await create('ticketartifact', { ...artifact, ticket });
    await create('subticketartifact', { ...artifact, subticket });
    await create('binarypackage', { name: `binary-${number}`, sourcepackage, version: '1.0-1' });
    await create('testsuite', { name: `suite-${number}` });
    const person = await create('person', {
      name: `Person ${number}`,
      email: `person-${number}@example.org`,
    });
    const project = await create('project', {
      name: `project-${number}`,
      display_name: `Project ${number}`,
      maintainer: person,
      contact: person,
      description: 'A project',
    });
    const branch = await create('branch', {
      unique_name: `branch-${number}`,
      owner: person,
      type: 'trunk',
      project,
    });
    await create('mergeproposal', {
      branch,
      submitter: person,
      status: 'needs_review',
      hosting_weblink: 'https://example.org/1',
    });
    await create('build_source', {
      ticket_id: Number(/\d+/.exec(ticket.replace('/v1/', ''))?.[0]),
      source_packages: [`http://127.0.0.1:9000/package-${number}_${number}.0-1_source.changes`],
      series: 'bookworm',
      ppa: 'ppa:airline/demo',
      progress_trigger: `lander-${number}`,
    });
  }

  async function create(resource: string, fields: Record<string, unknown>): Promise<string> {
    const { status, json, text } = await api.call('POST', `/api/v1/${resource}/`, fields);
    if (status !== 201 && status !== 202)
      throw new Error(`POST /api/v1/${resource}/ answered ${status}: ${text}`);
    return json.resource_uri;
  }
}
