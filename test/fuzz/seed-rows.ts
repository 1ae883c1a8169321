import type { TestApi } from '../api/serve.ts';
import { createWorld } from '../support/world.ts';

/** Creates a few of everything, so that requests find what they ask for. */
export async function seedRows(api: TestApi): Promise<void> {
  const world = createWorld({ now: api });
  for (let number = 1; number <= 3; number++) {
    const name = `package-${number}`;
    const { resource_uri: sourcepackage } = await world.sourcePackage({ name });
    const upload = await world.upload({ sourcepackage, version: `${number}.0-1` });
    const ticket = await world.ticket({ title: `Fix ${number}` });
    const subticket = await world.subticket(ticket, {
      source_package_upload: upload.resource_uri,
      assignee: 'dev@example.org',
    });
    const artifact = { name: 'log', type: 'LOGS', reference: 'http://127.0.0.1:9000/log' };
    await world.create('ticketartifact/', { ...artifact, ticket: ticket.resource_uri });
    await world.create('subticketartifact/', { ...artifact, subticket: subticket.resource_uri });
    await world.create('binarypackage/', {
      name: `binary-${number}`,
      sourcepackage,
      version: '1.0-1',
    });
    const { resource_uri: testsuite } = await world.create('testsuite/', {
      name: `suite-${number}`,
    });
    const ofTicket = { ticket: ticket.resource_uri };
    await world.create('tickettestsuite/', { ...ofTicket, testsuite });
    await world.create('ticketppa/', { ...ofTicket, ppa: 'ppa:airline/demo' });
    const page = { kind: 'bug', url: 'http://127.0.0.1:9000/bug' };
    await world.create('reference/', { ...ofTicket, ...page });
    const { resource_uri: person } = await world.person({
      name: `Person ${number}`,
      email: `person-${number}@example.org`,
    });
    await world.create('ticketowner/', { ...ofTicket, person });
    const project = await world.project({
      name: `project-${number}`,
      display_name: `Project ${number}`,
      maintainer: person,
      contact: person,
      description: 'A project',
    });
    const branch = await world.create('branch/', {
      unique_name: `branch-${number}`,
      owner: person,
      type: 'trunk',
      project: project.resource_uri,
    });
    await world.create('mergeproposal/', {
      branch: branch.resource_uri,
      submitter: person,
      status: 'needs_review',
      hosting_weblink: 'https://example.org/1',
    });
    await world.build(ticket, {
      source_packages: [`http://127.0.0.1:9000/${name}_${number}.0-1_source.changes`],
      archive: undefined,
      progress_trigger: `lander-${number}`,
    });
  }
}
