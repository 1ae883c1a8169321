import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Client } from 'basic-ftp';
import pino from 'pino';
import type { z } from 'zod';
import type { StandIn, StandInOptions } from '../../stand-in/options.ts';
import type { SCRIPT } from '../../stand-in/script/script.ts';
import { startStandIn } from '../../stand-in/stand-in.ts';
import { makeSigningKey } from './signing-key.ts';
import { makeSource, type SourceOptions, type SourcePackage } from './source-package.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { until } from './until.ts';

type StandInScript = z.input<typeof SCRIPT>;
export type Entry = Record<string, unknown> & { self_link: string };

/** A stand-in of a test's own, with a developer who knows how to upload to it. */
export type OwnStandIn = Awaited<ReturnType<typeof openStandIn>>;

/**
 * Starts a stand-in on free ports in a folder of its own, with the script `{}` unless the test says otherwise. Its
 * PPA is `~me/debian/test`, its key is known.
 *
 * @param options.script null starts it with real sbuild
 */
export async function openStandIn(
  options: Partial<StandInOptions> & { script?: StandInScript | null } = {},
) {
  const { script = {}, ...others } = options;
  const directory = temporaryDirectory();
  const key = await makeSigningKey();
  const keysDir = join(directory, 'stand-in', 'keys');
  mkdirSync(keysDir, { recursive: true });
  writeFileSync(join(keysDir, 'developer.asc'), key.publicKey);
  const scriptPath = join(directory, 'script.json');
  const play = (changed: StandInScript) => {
    writeFileSync(`${scriptPath}.new`, JSON.stringify(changed));
    renameSync(`${scriptPath}.new`, scriptPath);
  };
  if (script) play(script);
  const start = (): Promise<StandIn> =>
    startStandIn({
      host: '127.0.0.1',
      webPort: 0,
      ftpPort: 0,
      stateDir: directory,
      cacheDir: join(directory, 'cache'),
      distributions: { debian: ['bookworm', 'trixie'], ubuntu: ['noble'] },
      architectures: ['amd64'],
      builders: 4,
      processIntervalMs: 20,
      logger: pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }),
      ...(script ? { scriptPath } : {}),
      ...others,
    });
  let standIn = await start();
  let sources = 0;

  const read = async (url: string): Promise<Response> =>
    fetch(url, { signal: AbortSignal.timeout(60_000) });
  const call = async (
    url: string,
    operation: string,
    parameters: Record<string, string> = {},
  ): Promise<unknown> => {
    const response = await read(
      `${url}?${new URLSearchParams({ 'ws.op': operation, ...parameters }).toString()}`,
    );
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  };
  const entries = async (url: string, operation: string, parameters?: Record<string, string>) =>
    ((await call(url, operation, parameters)) as { entries: Entry[] }).entries;

  return {
    directory,
    keysDir,
    key,
    play,
    read,
    call,
    entries,
    get webUrl() {
      return standIn.webUrl;
    },
    get ftpAddress() {
      return standIn.ftpAddress;
    },
    /** The uploads that were rejected, and why. */
    rejections(): { changes: string; why: string }[] {
      const path = join(directory, 'stand-in', 'rejections.jsonl');
      if (!existsSync(path)) return [];
      // What follows the last line feed is still being written.
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as { changes: string; why: string });
    },
    archiveUrl: (ppa = '~me/+archive/debian/test') => `${standIn.webUrl}/devel/${ppa}`,
    /** A new source package, signed by the developer unless the test says otherwise. */
    make: ({
      isSigned = true,
      ...source
    }: Partial<SourceOptions> & { isSigned?: boolean } = {}): Promise<SourcePackage> =>
      makeSource({
        directory: join(directory, 'sources', String(++sources)),
        ...(isSigned ? { key } : {}),
        ...source,
      }),
    /** Uploads files in one session. */
    async upload(files: readonly string[], path = '~me/debian/test'): Promise<void> {
      const client = new Client(60_000);
      try {
        const [host, port] = standIn.ftpAddress.split(':');
        await client.access({ host: host as string, port: Number(port), user: 'anonymous' });
        await client.ensureDir(path);
        for (const file of files) await client.uploadFrom(file, basename(file));
        await client.send('QUIT');
      } finally {
        client.close();
      }
    },
    /** The source publication of a package, once there is one. */
    publication: ({ name, version }: { name: string; version: string }): Promise<Entry> =>
      until(`a publication of ${name} ${version}`, async () =>
        (
          await entries(`${standIn.webUrl}/devel/~me/+archive/debian/test`, 'getPublishedSources', {
            source_name: name,
            version,
            exact_match: 'true',
          })
        ).at(0),
      ),
    /** Waits until apt could install a package of a publication. */
    untilPublished: ({ self_link: link }: Entry): Promise<true> =>
      until('a published package', async () => {
        const binaries = await entries(link, 'getPublishedBinaries', {
          active_binaries_only: 'false',
        });
        return binaries.some(({ status }) => status === 'Published');
      }),
    /** A build of a publication, once it is in a state. */
    buildIn: (publication: Entry, state: string, architecture = 'amd64', withinMs?: number) =>
      until(
        `a build in the state ${state}`,
        async () =>
          (await entries(publication.self_link, 'getBuilds')).find(
            (build) => build['arch_tag'] === architecture && build['buildstate'] === state,
          ),
        withinMs,
      ),
    /** POSTs a named operation with a token. */
    post: (
      url: string,
      operation: string,
      token = 'a-token',
      parameters: Record<string, string> = {},
    ) =>
      fetch(url, {
        method: 'POST',
        headers: {
          Authorization: `OAuth realm="OAuth", oauth_consumer_key="test", oauth_token="${token}", oauth_signature_method="PLAINTEXT", oauth_signature="%26secret"`,
        },
        body: new URLSearchParams({ 'ws.op': operation, ...parameters }),
        signal: AbortSignal.timeout(60_000),
      }),
    async restart(): Promise<void> {
      await standIn.stop();
      standIn = await start();
    },
    async close(): Promise<void> {
      await standIn.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
