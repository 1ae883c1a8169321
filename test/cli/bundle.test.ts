import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { buildCommand, type BuiltCommand } from './built-command.ts';
import type { Called } from './call.ts';
import { json, useScript } from './script-server.ts';

describe('the bundle of the command', () => {
  let command: BuiltCommand;
  beforeAll(async () => {
    command = await buildCommand();
  }, 300_000);

  it('holds nothing of the server', () => {
    const ours = command.inputs.filter((path) => !path.startsWith('node_modules/'));
    expect(ours.filter((path) => !/^(?:cli|domain|timing)\//.test(path))).toEqual([]);
    const packages = new Set(
      command.inputs.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
    );
    for (const server of ['koa', 'sequelize', 'pg', 'pino', 'zod', 'amqplib'])
      expect(packages).not.toContain(server);
    expect([...packages].filter((name) => name.startsWith('@temporalio/'))).toEqual([]);
  });

  it('is one file that needs no other', () => {
    const text = readFileSync(command.path, 'utf8');
    expect(text).not.toMatch(/^import .* from "(?!node:)/m);
    expect(text.startsWith('#!/usr/bin/env node\n')).toBe(true);
  });

  it('runs', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await command.inPipe(['--version'])).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
  });

  describe('as a user without a home of its own', () => {
    const server = useScript();
    // Root may read everything, and has a home; who else runs this has one as well.
    const stranger = process.getuid?.() === 0 ? { uid: 12_345, gid: 12_345 } : {};
    const run = (args: readonly string[], env: Readonly<Record<string, string>>) =>
      new Promise<Called>((done) => {
        const called = [command.path, ...args];
        execFile(process.execPath, called, { env, ...stranger }, (error, stdout, stderr) =>
          done({ code: Number(error?.code ?? 0), stdout, stderr }),
        );
      });
    let HOME: string;
    beforeEach(() => {
      HOME = temporaryDirectory();
      mkdirSync(join(HOME, '.config/airline'), { recursive: true });
      writeFileSync(join(HOME, '.config/airline/config.json'), '{}', { mode: 0 });
      server.play(json(200, { meta: { total_count: 0, offset: 0 }, objects: [] }));
    });

    it('runs with a server and a token of the environment', async () => {
      const given = { ...server.environment, AIRLINE_TOKEN: 'given' };
      for (const env of [{ ...given, HOME }, given])
        expect(await run(['ticket', 'list'], env)).toMatchObject({ code: 0, stderr: '' });
    });

    it('says what to do where it needs a file that it may not read', async () => {
      const { code, stderr } = await run(['ticket', 'list'], { HOME });
      expect(code).toBe(2);
      expect(stderr).toMatch(/config\.json cannot be read: EACCES.*\n/);
      expect(stderr).toContain('  → Set HOME or XDG_CONFIG_HOME to a folder of your own.\n');
    });
  });

  it('asks for a token without showing it', async () => {
    const { code, screen } = await command.inTerminal(
      ['login', '--url', 'http://127.0.0.1:1'],
      {},
      [{ once: 'Token for http://127.0.0.1:1', type: 'secret-of-mine\r' }],
    );
    expect(code).toBe(6);
    expect(screen).not.toContain('secret-of-mine');
    expect(screen).toContain('does not answer');
  });

  it('is interrupted while it asks', async () => {
    const { code } = await command.inTerminal(['login', '--url', 'http://127.0.0.1:1'], {}, [
      { once: 'Token for', type: '\u0003' },
    ]);
    expect(code).toBe(130);
  });

  it.each(['FORCE_COLOR', 'CLICOLOR_FORCE'])('colours a pipe where %s says so', async (name) => {
    expect((await command.inPipe(['build', 'show', 'x'])).stderr).not.toContain('\u001b');
    const forced = await command.inPipe(['build', 'show', 'x'], { [name]: '1' });
    expect(forced.stderr).toContain('\u001b[31m');
  });

  it('colours nothing where NO_COLOR is set', async () => {
    const call = ['build', 'show', 'x'];
    expect((await command.inTerminal(call)).screen).toContain('\u001b[31m');
    for (const [args, environment] of [
      [call, { NO_COLOR: '1' }],
      [[...call, '--no-color'], {}],
    ] as const)
      expect((await command.inTerminal(args, environment)).screen).not.toContain('\u001b');
  });
});
