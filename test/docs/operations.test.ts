import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { LOST_BUILD, lostLanding } from '../../dispatch/lost-result.ts';
import { LANDING_FAILURE_CLASSES } from '../../domain/landings/landing-failure.ts';
import { blockOf, commandsOf } from '../compose/page.ts';
import { runWithStub } from '../compose/run-with-stub.ts';
import { NOTHING_OVERDUE } from '../support/nothing-overdue.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('the upgrade from 0.2.0', () => {
  const takeOut = async (script: string) => {
    const directory = temporaryDirectory();
    const commands = commandsOf('From 0.2.0', 1);
    const { calls, ...end } = await runWithStub(directory, commands, { name: 'docker', script });
    return { ...end, directory, calls: calls.map((call) => call.replace(/^compose /, '')) };
  };

  it('takes the databases out when nothing is accepted any more, and then removes the volume', async () => {
    const { hasSucceeded, calls, directory } = await takeOut('');
    expect(hasSucceeded).toBe(true);
    expect(calls[0]).toBe('stop api worker temporal');
    const [first, second, third] = calls.slice(1).map((call) => call.split(' ').at(-1));
    expect([first, second, third]).toEqual(['airline', 'temporal', 'temporal_visibility']);
    expect(calls.slice(4)).toEqual(['down', 'volume rm airline_postgresql']);
    expect(readdirSync(join(directory, 'backup'))).toHaveLength(3);
  });

  it('keeps the volume where a database was not taken out', async () => {
    const { hasSucceeded, calls } = await takeOut('case "$*" in *pg_dump*) exit 1 ;; esac');
    expect(hasSucceeded).toBe(false);
    expect(calls[0]).toBe('stop api worker temporal');
    expect(calls).toHaveLength(2);
  });

  it('starts nothing on a database that was not filled', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'backup'));
    for (const name of ['airline', 'temporal', 'temporal_visibility'])
      writeFileSync(join(directory, 'backup', `${name}.dump`), 'as if');
    const { hasSucceeded, calls } = await runWithStub(directory, commandsOf('From 0.2.0', 2), {
      name: 'docker',
      script: 'case "$*" in *pg_restore*) exit 1 ;; esac',
    });
    expect(hasSucceeded).toBe(false);
    expect(calls.at(-1)).toContain('pg_restore');
  });
});

describe('the secrets on Kubernetes', () => {
  it('are written over by the commands that made them', async () => {
    const script = `
      case "$*" in
        *" create secret "*--dry-run=client*) echo "$6" ;;
        *" create secret "*) exit 1 ;; # it exists already
        "apply -f -") cat >> applied ;;
      esac`;
    const directory = temporaryDirectory();
    const commands = commandsOf('Kubernetes', 1) + commandsOf('Kubernetes', 2);
    await runWithStub(directory, commands, { name: 'kubectl', script });
    expect(readFileSync(join(directory, 'applied'), 'utf8').trimEnd().split('\n')).toEqual([
      'airline',
      'launchpad',
      'signing-key',
      'api-certificate',
    ]);
  });
});

describe('a changed policy of landings', () => {
  const page = readFileSync('docs/operations.md', 'utf8').replaceAll(/\s+/g, ' ');
  const named = (text: string) => /AIRLINE_LANDING_POLICY=([^`\s]+)/.exec(text)?.[1];

  it('is read anew with Compose, where `up` does not look into mounted files', () => {
    const { services } = parse(blockOf('First start', 'yaml')) as {
      services: Record<string, { volumes: string[] }>;
    };
    const [[service, { volumes }] = ['', { volumes: [] }]] = Object.entries(services);
    expect(volumes).toEqual([`./policy.yaml:${named(page)}:ro`]);
    expect(page).toContain(
      `after a change of the policy, run \`docker compose restart ${service}\``,
    );
  });

  it('has another name on Kubernetes, which starts the APIs anew', () => {
    const added = parse(blockOf('Kubernetes', 'yaml', 2)) as {
      configMapGenerator: { name: string; files: string[]; options?: object }[];
      patches: { patch: string }[];
    };
    const [generated] = added.configMapGenerator;
    // A name by its contents is what is made where no option says otherwise.
    expect(added.configMapGenerator).toEqual([{ name: generated?.name, files: ['policy.yaml'] }]);
    const [, section = ''] = page.split(' ## Kubernetes ');
    const path = named(section) ?? '';
    const [patched] = added.patches.map(({ patch }) => parse(patch) as object);
    const [deployment] = parseAllDocuments(readFileSync('deploy/kubernetes/api.yaml', 'utf8'));
    expect(deployment?.toJS()).toMatchObject({
      kind: 'Deployment',
      metadata: { name: 'api' },
      spec: { template: { spec: { containers: [{ name: 'api' }] } } },
    });
    expect(patched).toMatchObject({
      kind: 'Deployment',
      metadata: { name: 'api' },
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'api', volumeMounts: [{ name: 'policy', mountPath: dirname(path) }] },
            ],
            volumes: [{ name: 'policy', configMap: { name: generated?.name } }],
          },
        },
      },
    });
    expect(basename(path)).toBe('policy.yaml');
  });
});

describe('an upgrade on Kubernetes', () => {
  const AWAY = 'away';
  /**
   * A cluster whose job of migrations comes to each of these conditions in turn; nobody waits for it.
   *
   * @param conditions AWAY: the cluster does not answer
   */
  const upgrade = async (...conditions: string[]) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'conditions'), conditions.map((one) => `${one}\n`).join(''));
    const commands = `sleep() { sed -i 1d conditions; }\n${commandsOf('Kubernetes', 3)}`;
    return runWithStub(directory, commands, {
      name: 'kubectl',
      script: `
        case "$*" in
          *" get job migrate "*) head -1 conditions | grep -vx ${AWAY} ;;
          *" wait --for=condition=complete "*) head -1 conditions | grep -qw Complete ;;
        esac`,
    });
  };

  it('brings the new version once the database is migrated', async () => {
    const { hasSucceeded, calls } = await upgrade(
      '',
      'SuccessCriteriaMet',
      'SuccessCriteriaMet Complete',
    );
    expect(hasSucceeded).toBe(true);
    expect(calls.filter((call) => call.startsWith('apply'))).toEqual([
      'apply -k deploy/kubernetes/migrate',
      'apply -k deploy/kubernetes',
    ]);
  });

  it('ends where the migration fails, and brings no new version', async () => {
    const { hasSucceeded, calls } = await upgrade('', 'FailureTarget', 'FailureTarget Failed');
    expect(hasSucceeded).toBe(false);
    expect(calls).not.toContain('apply -k deploy/kubernetes');
  });

  it('ends where the cluster does not answer, and brings no new version', async () => {
    const { hasSucceeded, calls } = await upgrade('', AWAY, 'SuccessCriteriaMet Complete');
    expect(hasSucceeded).toBe(false);
    expect(calls.at(-1)).toContain('get job migrate');
  });
});

describe('the move from a folder to a bucket', () => {
  const ADDRESS = 's3://artifacts/airline';
  /** Copies into the folder `bucket`, as `aws s3 sync` and `aws s3 cp` do with these arguments. */
  const AWS = `
    set -e
    bucket=$(dirname "$0")/../bucket
    keep() { mkdir -p "$(dirname "$bucket/$2")"; cp "$1" "$bucket/$2"; }
    case "$2 $3 $4 $5 $7" in
      "sync . ${ADDRESS} --exclude --exclude")
        find . -type f | sed 's|^\\./||' | while read -r file; do
          case "$file" in $6|$8) ;; *) keep "$file" "$file" ;; esac
        done ;;
      "cp "*" ${ADDRESS}/"*) keep "$3" "\${4#${ADDRESS}/}" ;;
      *) exit 64 ;;
    esac`;

  const VOLUME = 'volume inspect --format {{.Mountpoint}} airline_data-store';
  /**
   * @param answer what Docker does that is asked where the volume of the data store is, for `sh`
   * @returns how the commands failed
   */
  const move = async (directory: string, answer: string) => {
    const asked = `docker() { case "$*" in '${VOLUME}') ${answer} ;; *) exit 64 ;; esac; }\n`;
    const commands = asked + commandsOf('Data store', 2);
    return (await runWithStub(directory, commands, { name: 'aws', script: AWS })).fault;
  };
  const objectsOf = (directory: string) => {
    const bucket = join(directory, 'bucket');
    const objects = readdirSync(bucket, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(bucket, path)).isFile())
      .map((path) => [path, readFileSync(join(bucket, path), 'utf8')]);
    return Object.fromEntries(objects) as Record<string, string>;
  };

  it('puts each file where its key is looked for, and of two the one that counts', async () => {
    const directory = temporaryDirectory();
    const place = (path: string, content: string) => {
      const file = join(directory, 'store', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    };
    place('builds/7/hello.log', 'a log');
    place('uploads/a/x', 'of an earlier version');
    place('uploads/a%/b%/y', 'marked');
    place('uploads/twice/z', 'the earlier one');
    place('uploads/twice%/z', 'the later one');
    place('.incoming/half', 'half');

    expect(await move(directory, `echo '${directory}'`)).toBe('');
    expect(objectsOf(directory)).toEqual({
      'builds/7/hello.log': 'a log',
      'uploads/a/x': 'of an earlier version',
      'uploads/a/b/y': 'marked',
      'uploads/twice/z': 'the later one',
    });
  });

  it('copies nothing where Docker has no such volume', async () => {
    const directory = temporaryDirectory();
    expect(await move(directory, 'exit 1')).not.toBe('');
    expect(existsSync(join(directory, 'bucket'))).toBe(false);
  });
});

it('the AMQP URL of a lander has the port that docker-compose.yml publishes', () => {
  const [, address] = /'([\d.]+:\d+):5672'/.exec(readFileSync('docker-compose.yml', 'utf8')) ?? [];
  const page = readFileSync('docs/operations.md', 'utf8');
  expect(/amqp:\/\/lander:<password>@([^/`]+)/.exec(page)?.[1]).toBe(address);
  expect(/ssh -L 5673:(\S+) <host>/.exec(page)?.[1]).toBe(address);
});

const KINDS = [
  {
    heading: 'While it runs',
    folder: 'running',
    archives: ['cluster', 'data-store', 'signing-keyring'],
    read: 'pg_basebackup',
    written: 'PGDATA',
  },
  {
    heading: 'While it is stopped',
    folder: 'stopped',
    archives: ['postgresql', 'rabbitmq', 'data-store', 'signing-keyring'],
    read: '/var/lib/postgresql',
    written: '/var/lib/postgresql',
  },
] as const;
type Kind = (typeof KINDS)[number];
const [RUNNING, STOPPED] = KINDS;

/** An installation that has a backup of each kind, made on Friday. */
function installation() {
  const directory = temporaryDirectory();
  const backup = join(directory, 'backup');
  for (const { folder, archives } of KINDS) {
    mkdirSync(join(backup, folder), { recursive: true });
    for (const name of archives)
      writeFileSync(join(backup, folder, `${name}.tar.gz`), 'of Friday\n');
  }

  /** @param fault what goes wrong with Docker, for `sh` */
  async function run(heading: string, block: number, day: string, fault: string) {
    // A container's shell runs here, and writes what `tar` would. Like psql, it goes on whatever `\!` came to.
    const script = `${fault}
      for last; do :; done
      tar() { echo "of ${day}"; return "\${TAR_EXIT:-0}"; }
      copying='pg_basebackup() { echo "of ${day}"; return '"\${COPY_EXIT:-0}; };"
      case "$*" in
        *"psql --quiet "*) for one; do
          case "$one" in '--command=\\! '*) sh -c "$copying \${one#*! }" ;; esac
        done; exit 0 ;;
        *pg_basebackup*) sh -c "$copying"' pg_basebackup' ;;
        *" sh "*" -c "*) eval "$last" ;;
        *" -czf "*) tar ;;
        *" -xzf "*|*"tar -xzf "*) cat >> restored ;;
      esac`;
    const { hasSucceeded, calls } = await runWithStub(directory, commandsOf(heading, block), {
      name: 'docker',
      script,
    });
    return { hasSucceeded, calls, lastCall: calls.at(-1) };
  }
  return {
    backUp: (kind: Kind, day: string, fault = '') => run(kind.heading, 1, day, fault),
    restore: (kind: Kind, fault = '') => run(kind.heading, 2, 'another day', fault),
    restored: () => readFileSync(join(directory, 'restored'), 'utf8').trimEnd().split('\n'),
    folders: () => readdirSync(backup).toSorted(),
    contents: ({ folder }: Kind) =>
      readdirSync(join(backup, folder)).map((name) =>
        readFileSync(join(backup, folder, name), 'utf8').trim(),
      ),
  };
}
const failingAt = (call: string) => `case "$*" in *${call}*) exit 1 ;; esac`;

describe.each(KINDS)('a backup "$heading"', (kind) => {
  const { archives, read, written } = kind;
  const other = kind === RUNNING ? STOPPED : RUNNING;

  it('takes the place of the earlier one of its kind, as a whole', async () => {
    const { backUp, contents, folders } = installation();
    expect(await backUp(kind, 'Sunday')).toMatchObject({ hasSucceeded: true });
    expect(contents(kind)).toEqual(archives.map(() => 'of Sunday'));
    expect(contents(other)).toEqual(other.archives.map(() => 'of Friday'));
    expect(folders()).toEqual(['running', 'stopped']);
  });

  it('is restored as it was made, though one of the other kind was made since', async () => {
    const { backUp, restore, restored } = installation();
    await backUp(kind, 'Sunday');
    await backUp(other, 'Thursday');
    expect(await restore(kind)).toMatchObject({ hasSucceeded: true });
    expect(restored()).toEqual(archives.map(() => 'of Sunday'));
  });

  it.each([
    ['the databases', read],
    ['the files', '/var/lib/airline'],
  ])('fails where %s cannot be read, and leaves the earlier one as it was', async (_, call) => {
    const { backUp, contents } = installation();
    expect(await backUp(kind, 'Sunday', failingAt(call))).toMatchObject({ hasSucceeded: false });
    expect(contents(kind)).toEqual(archives.map(() => 'of Friday'));
  });

  it.each([
    ['the databases', written],
    ['the files', '/var/lib/airline'],
    ['the PPAs of the pool', 'psql'],
  ])('starts nothing where %s cannot be restored', async (_, call) => {
    const { hasSucceeded, lastCall } = await installation().restore(kind, failingAt(call));
    expect(hasSucceeded).toBe(false);
    expect(lastCall).toContain(call);
  });
});

describe('a backup while it runs', () => {
  it('may be of files that change or go while they are read', async () => {
    const { backUp, contents } = installation();
    expect(await backUp(RUNNING, 'Sunday', 'TAR_EXIT=1')).toMatchObject({ hasSucceeded: true });
    expect(contents(RUNNING)).toContain('of Sunday');
  });

  it.each([
    ['files are not read to their end', 'TAR_EXIT=2'],
    ['the databases are not copied to their end', 'COPY_EXIT=1'],
  ])('fails where %s', async (_, fault) => {
    const { backUp, contents } = installation();
    expect(await backUp(RUNNING, 'Sunday', fault)).toMatchObject({ hasSucceeded: false });
    expect(contents(RUNNING)).not.toContain('of Sunday');
  });

  it('has PostgreSQL keep what is written until it is copied, and no longer than the copy lasts', async () => {
    const { calls } = await installation().backUp(RUNNING, 'Sunday');
    const copies = calls.filter((call) => call.includes('pg_basebackup'));
    // A temporary slot is the session's that copies: it goes with it, however that ends.
    expect(copies).toEqual([
      expect.stringMatching(
        /psql .*pg_create_physical_replication_slot\('\w+', true, true\).*\\! pg_basebackup /,
      ),
    ]);
  });
});

describe('a backup while it is stopped', () => {
  it.each([
    ['was made', ''],
    ['failed', failingAt('/var/lib/airline')],
  ])('starts everything again where it %s', async (_, fault) => {
    const { lastCall } = await installation().backUp(STOPPED, 'Sunday', fault);
    expect(lastCall).toBe('compose up --detach');
  });

  it('fails where nothing starts again', async () => {
    const fault = failingAt('"up --detach"');
    const end = await installation().backUp(STOPPED, 'Sunday', fault);
    expect(end).toMatchObject({ hasSucceeded: false });
  });
});

test('what fails after a restore of the database alone says what the page says', () => {
  const page = readFileSync('docs/operations.md', 'utf8').replaceAll(/\s+/g, ' ');
  const [, after = ''] = page.split('Where the database is restored by itself');
  const [part = ''] = after.split(' ### ');
  expect(part).toContain('fails as `internal` after `AIRLINE_SILENCE_MS`');
  for (const failure of [LOST_BUILD, lostLanding('building')]) {
    expect(failure).toMatchObject({ class: 'internal', retryable: true });
    const [, advice = ''] = failure.hint.split(': ');
    expect(part).toContain(`: ${advice}`);
  }
  expect(part).toContain(
    'fails when it needs them, as `image_failed` or `test_bed_failed`: retry it',
  );
  for (const name of ['image_failed', 'test_bed_failed'] as const)
    expect(LANDING_FAILURE_CLASSES[name].retryable).toBe(true);
});

describe("Temporal's commands of the page", () => {
  const page = readFileSync('docs/operations.md', 'utf8').replaceAll('\\\n', ' ');

  it.each(['worker deployment set-current-version', 'workflow update-options'])(
    '%s: asks nothing, so that the next line of a paste is not taken for the answer',
    (command) => {
      const written = page.split('\n').filter((line) => line.startsWith(`temporal ${command} `));
      expect(written).not.toHaveLength(0);
      for (const line of written) expect(line).toContain(' --yes');
    },
  );

  describe('for versions of workers', () => {
    const HEADING = 'Versions of workers';
    /** The blocks of a deploy and of a roll-back. */
    const STEPS = [
      ['a deploy', commandsOf(HEADING, 2)],
      ['what a roll-back begins with', commandsOf(HEADING, 4)],
      ['a roll-back', commandsOf(HEADING, 5)],
    ] as const;
    const others = 'unset TEMPORAL_NAMESPACE; kubectl() { :; }';
    const run = (directory: string, ...commands: string[]) =>
      runWithStub(directory, [others, ...commands].join('\n'), { name: 'temporal', script: '' });

    it('act on the namespace that the settings of this Airline name', async () => {
      const directory = temporaryDirectory();
      const file = 'deploy/kubernetes/settings/airline.env';
      const settings = readFileSync(file, 'utf8').replace('NAMESPACE=default', 'NAMESPACE=other');
      mkdirSync(join(directory, dirname(file)), { recursive: true });
      writeFileSync(join(directory, file), settings);
      const steps = STEPS.map(([, commands]) => commands);
      const { calls, fault } = await run(directory, commandsOf(HEADING, 1), ...steps);
      expect(fault).toBe('');
      expect(calls).toHaveLength(steps.join('').match(/^temporal /gm)?.length ?? 0);
      for (const call of calls) expect(call).toMatch(/ --namespace other\b/);
    });

    it.each(STEPS)('act on none where nobody has said which: %s', async (_, commands) => {
      const { calls, hasSucceeded } = await run(temporaryDirectory(), commands);
      expect(hasSucceeded).toBe(false);
      expect(calls).toEqual([]);
    });
  });
});

it('the part on health names all that the status says of what does not get on', () => {
  const [, after = ''] = readFileSync('docs/operations.md', 'utf8').split('\n## Health\n');
  const [health = ''] = after.split('\n## ');
  for (const name of ['overdue', ...Object.keys(NOTHING_OVERDUE)])
    expect(health).toContain(`\`${name}\``);
});

it('the table of alarms has each that the log can name, and no other', () => {
  const FOLDERS = ['activities', 'api', 'dispatch', 'main', 'models', 'progress', 'workflows'];
  const given = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) =>
        [...readFileSync(join(folder, path), 'utf8').matchAll(/alarm: '(\w+)'/g)].map(
          ([, name = '']) => name,
        ),
      ),
  );
  const [, logs = ''] = readFileSync('docs/operations.md', 'utf8').split('\n## Logs\n');
  const [section = ''] = logs.split('\n## ');
  const told = [...section.matchAll(/^\| `(\w+)` /gm)].map(([, name = '']) => name);
  expect(told).toEqual([...new Set(given)].toSorted());
});
