import { failureOf } from '../../domain/builds/failure.ts';
import type { ProgressReport } from '../../domain/builds/progress.ts';
import type { TestApi } from '../api/serve.ts';
import { architectureBuild, report } from '../support/rows.ts';
import { createWorld, stepOf } from '../support/world.ts';

const LOG = [
  ...Array.from({ length: 40 }, (_, at) => `cc -c file${at}.c`),
  "hello.c:12:3: error: expected ';' before 'return'",
  '   12 |   return 0;',
  '      |   ^~~~~~',
  'make: *** [Makefile:7: hello.o] Error 1',
  'dpkg-buildpackage: error: debian/rules build subprocess returned exit status 2',
  '',
].join('\n');

/**
 * Fills a server with what lists and pages show: two tickets, a build that was completed, one that failed and was
 * retried, one that runs, and a landing in line. All of it three days ago, so that times read the same on every run.
 */
export async function seed(api: TestApi): Promise<void> {
  const { database, url } = api;
  const world = createWorld({ now: api });
  const file = (name: string) => `${url}/store/uploads/${name}`;
  const bundle = async (title: string, name: string, version: string) => {
    const ticket = await world.create('ticket/bundle/', {
      owner: 'ann@example.com',
      title,
      description: 'A new upstream version',
      bug_id: '1234567',
      artifacts: [
        { name: 'results', type: 'RESULTS', reference: 'https://store.example/results.html' },
      ],
      subtickets: [
        {
          assignee: 'ben@example.com',
          source_package_upload: { sourcepackage: { name }, version },
          artifacts: [
            {
              name: `${name}_${version}.dsc`,
              type: 'SPU',
              reference: file(`${name}_${version}.dsc`),
            },
            {
              name: `${name}_${version}_source.changes`,
              type: 'SPU',
              reference: file(`${name}_${version}_source.changes`),
            },
          ],
        },
      ],
    });
    return ticket.id as number;
  };
  const hello = await bundle('Say hello to Debian', 'hello', '2.10-3');
  const probe = await bundle(
    'A title that goes on for longer than any terminal is wide, so that it is cut',
    'airline-probe',
    '1.0+really0.9-1~exp1',
  );
  const request = async (ticketId: number, name: string, version: string) => {
    const build = await world.build(
      { id: ticketId },
      {
        source_packages: [
          file(`${name}_${version}.dsc`),
          file(`${name}_${version}_source.changes`),
        ],
        ppa: 'ppa:team/landing',
        progress_trigger: `queue-${ticketId}`,
      },
    );
    return build.id as number;
  };
  const log = await storeLog(api);
  const built = await request(hello, 'hello', '2.10-3');
  const failed = await request(hello, 'hello', '2.10-3');
  const running = await request(probe, 'airline-probe', '1.0+really0.9-1~exp1');
  const record = (
    buildId: number,
    key: string,
    message: 'STARTED' | 'INPROGRESS' | 'COMPLETE' | 'FAILURE',
    states: Record<string, string> = {},
    more: Partial<ProgressReport> = {},
  ) =>
    report(database, { id: buildId }, message, {
      key,
      builds: Object.entries(states).map(([architecture, buildstate]) =>
        architectureBuild({
          package: buildId === running ? 'airline-probe' : 'hello',
          version: buildId === running ? '1.0+really0.9-1~exp1' : '2.10-3',
          architecture,
          buildstate,
          web_link: `https://ppa.example/+build/${architecture}`,
        }),
      ),
      ...more,
    });
  const active = 'Currently building';
  const waiting = 'Needs building';
  const done = 'Successfully built';
  const broken = 'Failed to build';
  await record(built, 'started', 'STARTED');
  await record(built, 'one', 'INPROGRESS', { amd64: active, arm64: waiting });
  const packages = ['amd64', 'arm64'].map((architecture) => ({
    name: 'hello',
    version: '2.10-3',
    architecture,
    url: `https://ppa.example/+files/hello_2.10-3_${architecture}.deb`,
    size: 52_340,
    sha256: 'a'.repeat(64),
  }));
  const apt = 'deb https://ppa.example/team/landing/debian bookworm main';
  const states = { amd64: done, arm64: done };
  await record(built, 'end', 'COMPLETE', states, {
    logs: [log],
    built: { packages, apt, lists: [] },
  });
  await record(failed, 'started', 'STARTED');
  await record(
    failed,
    'end',
    'FAILURE',
    { amd64: 'Chroot problem' },
    {
      failure: failureOf('chroot_problem', 'hello 2.10-3 on amd64: Chroot problem', {
        package: 'hello',
        architecture: 'amd64',
      }),
    },
  );
  await world.post(`build/${failed}/retry/`, {});
  await record(failed, 'started', 'STARTED', {}, { attempt: 2 });
  await record(
    failed,
    'end',
    'FAILURE',
    { amd64: broken, arm64: done },
    {
      attempt: 2,
      logs: [log],
      failure: failureOf('build_failed', 'hello 2.10-3 on amd64: Failed to build', {
        package: 'hello',
        architecture: 'amd64',
        line: 41,
        excerpt: LOG.split('\n').slice(36, 44).join('\n'),
        excerpt_line: 37,
      }),
    },
  );
  await record(running, 'started', 'STARTED');
  await record(running, 'one', 'INPROGRESS', { amd64: 'Dependency wait' });
  await world.patch('subticket/1/', {
    ...stepOf(200),
    reason: 'its build was requested',
  });
  await world.post(`ticket/${probe}/land/`, {
    ppa: 'ppa:team/landing',
    series: 'bookworm',
    archive: 'debian',
    target: 'ppa:team/landed',
  });
  for (const [name, isTeam] of [
    ['Ann Doe', false],
    ['Landers', true],
  ] as const)
    await world.person({
      name,
      email: `${name.split(' ')[0]?.toLowerCase()}@example.com`,
      is_team: isTeam,
    });
  await world.post('binarypackage/import/', [
    { name: 'hello', sourcepackage: 'hello', version: '2.10-3', seeded: true },
    { name: 'hello-doc', sourcepackage: 'hello', version: '2.10-3' },
  ]);
  await world.create('token/', { name: 'lander', scopes: ['read', 'build:write'] });
  await backdate(api);
}

/** @returns the URL of the log, which stands where callers may store files */
async function storeLog({ url }: TestApi): Promise<string> {
  const log = `${url}/store/uploads/logs/hello_2.10-3_amd64.build.log`;
  const { ok } = await fetch(log, { method: 'PUT', body: LOG });
  if (!ok) throw new Error('The log was not stored.');
  return log;
}

async function backdate({ database }: TestApi): Promise<void> {
  const [columns] = await database.sequelize.query(
    `SELECT table_name, string_agg(format('%I = %I - interval ''3 days 2 hours''', column_name, column_name), ', ') AS changes
     FROM information_schema.columns
     WHERE table_schema = current_schema() AND data_type = 'timestamp with time zone'
       AND table_name IN ('ticket', 'subticket', 'source_package', 'source_package_upload', 'build', 'build_attempt', 'build_record', 'package_statistics', 'landing', 'binary_package', 'person', 'ticket_artifact', 'subticket_artifact', 'status_change')
     GROUP BY table_name`,
  );
  for (const { table_name: table, changes } of columns as { table_name: string; changes: string }[])
    // Only a test, which has made the history up, changes it.
    await database.sequelize.query(
      `ALTER TABLE "${table}" DISABLE TRIGGER USER; UPDATE "${table}" SET ${changes}; ALTER TABLE "${table}" ENABLE TRIGGER USER`,
    );
}
