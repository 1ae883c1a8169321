import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LIMIT_MS = 300_000;
const WHO = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** Files by path; a link is an object. */
export type Files = Readonly<Record<string, string | Buffer | { linkTo: string } | null>>;

/** A git repository that is served over HTTP. */
export type ServedRepository = {
  url: string;
  /** Changes files on a branch, which begins where `from` is if it is new, and commits them. @returns the commit */
  commit(branch: string, files: Files, from?: string): Promise<string>;
  git(...args: string[]): Promise<string>;
};

/** Git's own HTTP server for repositories of a test's. */
export type GitServer = {
  port: number;
  make(name: string, ...options: string[]): Promise<ServedRepository>;
  /** What answers instead of git from now on; undefined: git does again. */
  answerBy(answer: ((response: ServerResponse) => void) | undefined): void;
  close(): Promise<void>;
};

/** Serves repositories by git http-backend on a free port. */
export async function startGitServer(): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), 'git-server-'));
  let instead: ((response: ServerResponse) => void) | undefined;
  const server = createServer((request, response) => {
    if (instead) return instead(response);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://git');
    const backend = spawn('git', ['http-backend'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {
        PATH: process.env['PATH'],
        ...WHO,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: searchParams.toString(),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      },
    });
    request.pipe(backend.stdin);
    backend.stdin.on('error', () => undefined);
    void answerAsCgi(backend.stdout, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    answerBy: (answer) => (instead = answer),
    async make(name, ...options) {
      const directory = join(root, `${name}.work`);
      const git = async (...args: string[]) =>
        (
          await run('git', ['-C', directory, ...args], {
            timeout: LIMIT_MS,
            env: { ...process.env, ...WHO },
          })
        ).stdout.trim();
      await mkdir(directory);
      await git('init', '--quiet', '--initial-branch=main', ...options);
      await symlink(join(directory, '.git'), join(root, `${name}.git`));
      return {
        url: `http://127.0.0.1:${port}/${name}.git`,
        git,
        async commit(branch, files, from) {
          const isNew = (await git('branch', '--list', branch)) === '';
          if (isNew)
            await git('checkout', '--quiet', ...(from ? ['-b', branch, from] : ['-B', branch]));
          else await git('checkout', '--quiet', branch);
          for (const [path, content] of Object.entries(files)) {
            const full = join(directory, path);
            await rm(full, { recursive: true, force: true });
            if (content === null) continue;
            await mkdir(dirname(full), { recursive: true });
            if (typeof content === 'object' && 'linkTo' in content)
              await symlink(content.linkTo, full);
            else await writeFile(full, content);
          }
          await git('add', '--all', '--force');
          await git('commit', '--quiet', '--allow-empty', '--message', `change ${branch}`);
          return git('rev-parse', 'HEAD');
        },
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Answers with what a CGI program writes (RFC 3875, 6). */
async function answerAsCgi(output: NodeJS.ReadableStream, response: ServerResponse) {
  let head = Buffer.alloc(0);
  let isHeadDone = false;
  for await (const chunk of output as AsyncIterable<Buffer>) {
    if (isHeadDone) {
      response.write(chunk);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) continue;
    isHeadDone = true;
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', ...value] = line.split(': ');
      if (name === 'Status') response.statusCode = Number(value[0]?.split(' ')[0]);
      else response.setHeader(name, value.join(': '));
    }
    response.write(head.subarray(end + 4));
  }
  response.end();
}

/** The folder `debian` of a package whose source is in one tarball. */
export function packaging(name: string, version: string, more: Files = {}): Files {
  return {
    'debian/changelog': `${name} (${version}) bookworm; urgency=medium

  * A change.

 -- Ada <ada@example.org>  Thu, 01 Jan 2026 00:00:00 +0000
`,
    'debian/control': `Source: ${name}
Section: misc
Priority: optional
Maintainer: Ada <ada@example.org>
Standards-Version: 4.6.2

Package: ${name}
Architecture: any
Description: a package
 of a test
`,
    'debian/rules': '#!/bin/sh\ntouch "$AIRLINE_PROOF" /tmp/airline-proof-rules\n',
    'debian/source/format': version.includes('-') ? '3.0 (quilt)\n' : '3.0 (native)\n',
    ...more,
  };
}
