import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commandsOf } from '../compose/page.ts';
import { runWithStub } from '../compose/run-with-stub.ts';
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

    const commands = commandsOf('Data store', 2).replaceAll('/var/lib/airline', directory);
    const { hasSucceeded } = await runWithStub(directory, commands, { name: 'aws', script: AWS });

    expect(hasSucceeded).toBe(true);
    const bucket = join(directory, 'bucket');
    const objects = readdirSync(bucket, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(bucket, path)).isFile())
      .map((path) => [path, readFileSync(join(bucket, path), 'utf8')]);
    expect(Object.fromEntries(objects)).toEqual({
      'builds/7/hello.log': 'a log',
      'uploads/a/x': 'of an earlier version',
      'uploads/a/b/y': 'marked',
      'uploads/twice/z': 'the later one',
    });
  });
});
