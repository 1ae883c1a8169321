import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Transform, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { fileStem } from '../../domain/packages/source-file.ts';
import { archiveOf, type Layout } from '../archive/layout.ts';
import type { Build } from '../archive/records.ts';

const TAIL_BYTES = 2 ** 20;

/** A gzipped log that is being written. */
export type BuildLog = {
  stream: Writable;
  /** The last part of what was written, where sbuild sums up. */
  tail(): string;
  /** Ends the log; it is complete when this returns. */
  close(): Promise<void>;
};

/** Launchpad's name of a build log, `buildlog_<distribution>-<series>-<arch>.<source>_<version>_<STATE>.txt.gz`. */
export function buildLogName(build: Build): string {
  const { distribution } = archiveOf(build.archive);
  return `buildlog_${distribution}-${build.series}-${build.architecture}.${fileStem(build)}_BUILDING.txt.gz`;
}

/** What a builder's status shows of a log, in bytes (launchpad-buildd, `getLogTail`). */
const MAX_LOG_TAIL_BYTES = 2_048;

/** The logs of the builds that run. */
export type BuildLogs = {
  open(build: Build): Promise<BuildLog>;
  /** The last bytes of a log that is being written; undefined where none is. */
  logTail(buildId: number): string | undefined;
};

/** Opens the logs of builds, and shows their ends while they are written. */
export function createBuildLogs(layout: Layout, maxBytes: number): BuildLogs {
  const written = new Map<number, BuildLog>();
  return {
    async open(build) {
      const log = await openBuildLog(layout, build, maxBytes);
      written.set(build.id, log);
      return {
        ...log,
        async close() {
          written.delete(build.id);
          await log.close();
        },
      };
    },
    logTail(buildId) {
      const bytes = Buffer.from(written.get(buildId)?.tail() ?? '');
      return written.has(buildId)
        ? bytes.subarray(-MAX_LOG_TAIL_BYTES).toString('utf8')
        : undefined;
    },
  };
}

/** Opens a log in a build's folder. What goes over the limit is cut off, and the log's last line says so. */
export async function openBuildLog(
  layout: Layout,
  build: Build,
  maxBytes: number,
  name = buildLogName(build),
): Promise<BuildLog> {
  const path = layout.buildFile(build.id, name);
  await mkdir(dirname(path), { recursive: true });
  const tail: Buffer[] = [];
  let tailBytes = 0;
  let sizeBytes = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      tail.push(chunk);
      tailBytes += chunk.length;
      while (tailBytes - (tail[0]?.length ?? 0) > TAIL_BYTES)
        tailBytes -= tail.shift()?.length ?? 0;
      const left = maxBytes - sizeBytes;
      sizeBytes += chunk.length;
      if (left > 0) this.push(left < chunk.length ? chunk.subarray(0, left) : chunk);
      done();
    },
    flush(done) {
      if (sizeBytes > maxBytes)
        this.push(`\n[log cut off: ${sizeBytes - maxBytes} bytes are not kept]\n`);
      done();
    },
  });
  const file = limit.pipe(createGzip()).pipe(createWriteStream(path));
  const written = finished(file);
  // Its failure counts when the log is closed.
  written.catch(() => undefined);
  return {
    stream: limit,
    tail: () => Buffer.concat(tail).toString('utf8'),
    async close() {
      limit.end();
      await written;
    },
  };
}
