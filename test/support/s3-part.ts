import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { foreignEnvironment } from '../../main/config/config.ts';
import { buildWithGo } from '../../main/embedded/go-build.ts';
import type { Service, Step } from '../../main/embedded/part.ts';

/** As in tools/s3/go.mod. */
const VERSION = '1.8.0';

/** The account of the S3 server. */
export const S3_ACCOUNT = { accessKeyId: 'airline', secretAccessKey: 'a secret of the tests' };

/** Builds versitygw with Go, where the machine's cache has none. */
export function s3ProgramStep(options: { cacheDir: string; projectDir: string }): Step {
  const program = programIn(options.cacheDir);
  return {
    kind: 'step',
    name: 's3-program',
    needs: [],
    perform: async (context) => {
      if (existsSync(program)) return program;
      context.note('building the S3 server with Go: once, for some minutes');
      await buildWithGo(
        {
          projectDir: options.projectDir,
          module: 'tools/s3',
          program: 'github.com/versity/versitygw/cmd/versitygw',
          target: program,
          environment: foreignEnvironment(),
        },
        context,
      );
      return program;
    },
  };
}

/**
 * An S3 server on a folder: versitygw.
 *
 * @param options.directory where its data go; exists
 */
export function s3Part(options: {
  cacheDir: string;
  directory: string;
  host: string;
  port: number;
}): Service {
  const { directory, host, port } = options;
  const url = `http://${host}:${port}`;
  const [data, metadata] = ['data', 'metadata'].map((name) => join(directory, name)) as [
    string,
    string,
  ];
  return {
    kind: 'service',
    name: 's3',
    needs: ['s3-program'],
    prepare: async () => {
      for (const folder of [data, metadata]) mkdirSync(folder, { recursive: true });
    },
    command: () => ({
      file: programIn(options.cacheDir),
      // Not every file system has the extended attributes that it would keep the metadata in.
      args: ['--port', `${host}:${port}`, '--quiet', 'posix', '--sidecar', metadata, data],
      cwd: directory,
      environment: {
        ROOT_ACCESS_KEY_ID: S3_ACCOUNT.accessKeyId,
        ROOT_SECRET_ACCESS_KEY: S3_ACCOUNT.secretAccessKey,
      },
    }),
    isReady: async () => (await fetch(url)).status === 403,
    startTimeoutMs: 60_000,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 10_000,
    summary: () => url,
  };
}

function programIn(cacheDir: string): string {
  return join(cacheDir, `versitygw-${VERSION}`);
}
