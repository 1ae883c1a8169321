// Does a whole build with the types that openapi-typescript has made of our document:
// whole-build.mts <address of the API> <name> <version> <file of the source package>...
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';

const [baseUrl = '', name = '', version = '', ...files] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });
const folder = `uploads/${randomUUID()}`;

function given<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

async function store(path: string): Promise<string> {
  const content = await readFile(path);
  const stored = await client.PUT('/store/{key}', {
    params: { path: { key: `${folder}/${basename(path)}` } },
    headers: { 'Content-Type': 'application/octet-stream' },
    body: '',
    bodySerializer: () => content,
  });
  return given(stored).url;
}

const ticket = given(
  await client.POST('/api/v1/ticket/', {
    body: { owner: 'ann@example.com', title: 'A new version' },
  }),
);
const sourcepackage = given(await client.POST('/api/v1/sourcepackage/', { body: { name } }));
const upload = given(
  await client.POST('/api/v1/spu/', {
    body: { sourcepackage: sourcepackage.resource_uri, version },
  }),
);
const subticket = given(
  await client.POST('/api/v1/subticket/', {
    body: { source_package_upload: upload.resource_uri, ticket: ticket.resource_uri },
  }),
);
let build = given(
  await client.POST('/api/v1/build_source', {
    body: {
      ticket_id: ticket.id,
      source_packages: await Promise.all(files.map(store)),
      series: 'bookworm',
      ppa: 'ppa:airline/test',
      archive: 'debian',
      progress_trigger: `typescript-${randomUUID()}`,
    },
  }),
);
const { id } = build;
while (build.finished_at === null) {
  await sleep(200);
  build = given(await client.GET('/api/v1/build/{id}/', { params: { path: { id } } }));
}
const key = decodeURIComponent(new URL(build.logs[0] ?? '').pathname).replace('/store/', '');
const log = given(await client.GET('/store/{key}', { params: { path: { key } }, parseAs: 'text' }));
const artifacts = given(
  await client.GET('/api/v1/subticketartifact/', {
    params: { query: { subticket: subticket.id } },
  }),
);
const answer = {
  state: build.state,
  built: build.built_packages.map((one) => one.name),
  log,
  artifacts: artifacts.objects.map(({ type }) => type),
};
console.log(JSON.stringify(answer));
