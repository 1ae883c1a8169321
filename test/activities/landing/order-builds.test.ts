import { createLandingActivities } from '../../../activities/landing/index.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { createFileStore } from '../../../store/file.ts';
import { runActivity } from '../activity.ts';
import { startFileServer, type FileServer } from '../file-server.ts';
import { TEST_SOURCES } from '../../support/test-sources.ts';

const STORE_URL = 'http://127.0.0.1:1/store';

const DSC = `Format: 3.0 (native)
Source: hello
Binary: hello
Architecture: any
Version: 1.0
Files:
 ${'0'.repeat(32)} 1 hello_1.0.tar.xz
Checksums-Sha1:
 ${'0'.repeat(40)} 1 hello_1.0.tar.xz
Checksums-Sha256:
 ${'0'.repeat(64)} 1 hello_1.0.tar.xz
`;

let server: FileServer;
beforeEach(async () => {
  server = await startFileServer();
});
afterEach(() => server.stop());

/** What orders the builds of landings needs no more than this. */
const deps = {
  database: {},
  sources: {
    ...TEST_SOURCES,
    rule: { hosts: ['127.0.0.1'], refusedPorts: [1], storeUrl: STORE_URL },
  },
  store: createFileStore({ directory: '/nonexistent', baseUrl: STORE_URL }),
} as unknown as ActivityDependencies;

it.each([
  ['version', { source: 'hello', version: '1:1.0' }, 'hello 1:1.0'],
  ['name', { source: 'hello-doc', version: '1.0' }, 'hello-doc 1.0'],
])('a source of another %s than its subticket is not built', async (_what, stands, shown) => {
  const url = server.answer('hello_1.0.dsc', (_request, response) => response.end(DSC));
  const packages = [{ subticketId: 1, ...stands, files: [url] }];
  const { orderBuilds } = createLandingActivities(deps);

  await expect(runActivity(orderBuilds, { packages })).rejects.toMatchObject({
    code: 'malformed_control_file',
    message: `hello_1.0.dsc is of hello 1.0; its subticket stands for ${shown}`,
  });
});

test('the order of builds heartbeats while a source is idle', async () => {
  let heard = () => {};
  const heartbeat = new Promise<void>((resolve) => (heard = resolve));
  const url = server.answer('hello_1.0.dsc', (_request, response) => {
    void heartbeat.then(() => response.end(DSC));
  });
  const packages = [{ subticketId: 1, source: 'hello', version: '1.0', files: [url] }];
  const { orderBuilds } = createLandingActivities(deps);

  expect(await runActivity(orderBuilds, { packages }, { onHeartbeat: heard })).toEqual([['hello']]);
});
