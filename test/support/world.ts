import type { Answer, TestApi } from '../api/serve.ts';

/** A resource as the API shows it. What a test expects of it says which fields it has. */
export type Resource = Answer['json'];
type Fields = Record<string, unknown>;
type Headers = Record<string, string>;

const TICKET = { owner: 'dev@example.org', title: 'A fix' };

/** What a caller finds when a test begins. Each call has defaults for all that the test is not about. */
export type World = {
  /** Sends a request; paths are those below /api/v1/. */
  call: (method: string, path: string, body?: unknown, headers?: Headers) => Promise<Answer>;
  get: (path: string, headers?: Headers) => Promise<Answer>;
  post: (path: string, body?: unknown, headers?: Headers) => Promise<Answer>;
  put: (path: string, body: unknown, headers?: Headers) => Promise<Answer>;
  patch: (path: string, body: unknown, headers?: Headers) => Promise<Answer>;
  delete: (path: string, headers?: Headers) => Promise<Answer>;

  /** POSTs to a list. @throws where nothing was created */
  create: (path: string, fields: unknown) => Promise<Resource>;
  /** A name that nothing else here has. */
  newName: () => string;
  sourcePackage: (fields?: Fields) => Promise<Resource>;
  /** An upload, of a source package of its own unless `sourcepackage` says of which. */
  upload: (fields?: Fields) => Promise<Resource>;
  /** A ticket at Queued. */
  ticket: (fields?: Fields) => Promise<Resource>;
  /** A full ticket with a subticket for version 1 of each of the packages. */
  ticketOf: (...packages: string[]) => Promise<Resource>;
  /** The same, whose subtickets name the files of their uploads: it can be landed. */
  landable: (...packages: string[]) => Promise<Resource>;
  /** A subticket of the ticket, for an upload of its own unless `source_package_upload` says for which. */
  subticket: (ticket: { resource_uri: string }, fields?: Fields) => Promise<Resource>;
  person: (fields?: Fields) => Promise<Resource>;
  project: (fields?: Fields) => Promise<Resource>;
  /** A merge proposal that can be built, of a branch of its own unless `branch` says of which. */
  mergeProposal: (fields?: Fields) => Promise<Resource>;
  /** A body for build_source. */
  buildRequest: (ticket: { id: number }, fields?: Fields) => Fields;
  /** A build that was requested of the API. @throws where it was not accepted */
  build: (ticket: { id: number }, fields?: Fields) => Promise<Resource>;
};

/**
 * The world of a test's API.
 *
 * @param api asked anew for each call, because it is served when the tests begin
 * @param ownHeaders those of each call that does not name them, asked anew as well
 */
export function createWorld(
  api: { readonly now: TestApi },
  ownHeaders: () => Headers = () => ({}),
): World {
  let names = 0;
  const call: World['call'] = (method, path, body, headers) =>
    api.now.call(method, `/api/v1/${path}`, body, { ...ownHeaders(), ...headers });
  const world: World = {
    call,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body, headers),
    put: (path, body, headers) => call('PUT', path, body, headers),
    patch: (path, body, headers) => call('PATCH', path, body, headers),
    delete: (path, headers) => call('DELETE', path, undefined, headers),

    create: (path, fields) => posted(path, fields, 201),
    newName: () => `package-${(names += 1)}`,
    sourcePackage: (fields) => world.create('sourcepackage/', { name: world.newName(), ...fields }),
    upload: (fields) =>
      world.create('spu/', { sourcepackage: { name: world.newName() }, version: '1', ...fields }),
    ticket: (fields) => world.create('ticket/', { ...TICKET, ...fields }),
    ticketOf: (...packages) =>
      world.create('ticket/bundle/', {
        ...TICKET,
        subtickets: packages.map((name) => ({
          source_package_upload: { sourcepackage: { name }, version: '1' },
        })),
      }),
    landable: async (...packages) => {
      const ticket = await world.ticketOf(...packages);
      for (const { resource_uri: subticket, source_package_upload } of ticket.subtickets)
        await world.create('subticketartifact/', {
          subticket,
          name: 'changes',
          reference: `http://127.0.0.1:9000/files/${source_package_upload.sourcepackage.name}_1_source.changes`,
          type: 'SPU',
        });
      return ticket;
    },
    subticket: ({ resource_uri: ticket }, fields) =>
      world.create('subticket/', {
        ticket,
        source_package_upload: { sourcepackage: { name: world.newName() }, version: '1' },
        ...fields,
      }),
    person: (fields) =>
      world.create('person/', { name: 'Ada', email: 'ada@example.org', ...fields }),
    project: (fields) => {
      const name = world.newName();
      const person = { name: 'Ada', email: 'ada@example.org' };
      const persons = { maintainer: person, contact: person };
      return world.create('project/', { name, display_name: name, ...persons, ...fields });
    },
    mergeProposal: (fields) => {
      const person = { name: 'Ada', email: 'ada@example.org' };
      const repository = 'http://127.0.0.1:9000/hello.git';
      return world.create('mergeproposal/', {
        branch: { unique_name: world.newName(), owner: person, type: 'regular' },
        submitter: person,
        status: 'needs_review',
        source_repository: repository,
        source_branch: 'fix',
        target_repository: repository,
        target_branch: 'main',
        ...fields,
      });
    },
    buildRequest: ({ id: ticket_id }, fields) => ({
      ticket_id,
      source_packages: ['http://127.0.0.1:9000/files/hello_2.10-3_source.changes'],
      series: 'bookworm',
      ppa: 'ppa:airline/demo',
      archive: 'debian',
      progress_trigger: 'lander-1',
      ...fields,
    }),
    build: (ticket, fields) => posted('build_source', world.buildRequest(ticket, fields), 202),
  };
  return world;

  async function posted(path: string, body: unknown, status: number): Promise<Resource> {
    const answer = await call('POST', path, body);
    if (answer.status !== status)
      throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
    return answer.json;
  }
}

/** What puts a ticket or subticket at a step, and what it shows there. */
export function stepOf(step: number, status = step) {
  return { current_workflow_step: String(step), status: String(status) };
}
