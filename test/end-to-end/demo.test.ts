import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stackAddresses } from '../support/addresses.ts';
import { createTestDatabase } from '../support/database.ts';
import { makeOwnCache } from '../support/own-cache.ts';
import { freePorts, portVariables } from '../support/stack/free-ports.ts';

const LIMIT_MS = 15 * 60_000;
jest.setTimeout(LIMIT_MS);

/** Runs the demonstration on ports and in a state directory of its own. */
async function runDemo(
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; output: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'airline-demo-'));
  chmodSync(directory, 0o755);
  const ports = await freePorts();
  try {
    const child = spawn(process.execPath, ['--import', 'tsx', 'main/demo.ts', ...args], {
      env: {
        ...process.env,
        AIRLINE_STATE_DIR: join(directory, 'state'),
        AIRLINE_CACHE_DIR: await makeOwnCache(directory),
        ...portVariables(ports),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, output };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

describe('npm run demo', () => {
  test('builds hello with sbuild and shows progress, verdict, log, package and workflow', async () => {
    const { code, output } = await runDemo();
    expect(output).toMatch(/← 1 queued \(WAITING\)/);
    expect(output).toMatch(/← \d+ COMPLETE \(COMPLETED\) \w+: Successfully built/);
    expect(output).toMatch(/ticket at 1000/);
    expect(output).toMatch(/log: http:\S+hello_\S+\.build\.log/);
    expect(output).toMatch(/built: \S+hello_\S+\.deb/);
    expect(output).toMatch(/Package: hello/);
    expect(output).toMatch(/Temporal's UI: http:\S+workflows\/build-1-ticket-1-hello/);
    for (const page of ['/build/1', '/ticket/1', '/status'])
      expect(output).toMatch(new RegExp(`page: http://127.0.0.1:\\d+${page}\\n`));
    expect(output).toMatch(/verdict: COMPLETED, \d+ messages, seq 1 to \d+ without a gap/);
    expect(code).toBe(0);
  });

  test('lands two packages in order: built, tested, approved, published, installed by apt', async () => {
    const database = await createTestDatabase();
    // All parts of its own are started by the other demonstration.
    const { code, output } = await runDemo(['--land'], {
      AIRLINE_DATABASE_URL: database.url,
      AIRLINE_AMQP_URL: stackAddresses().amqpUrl,
    });
    await database.drop();
    expect(output).toMatch(
      /building airline-greeting: waiting, airline-greeting-words: building\n[^]*building airline-greeting: building, airline-greeting-words: built\n/,
    );
    for (const phase of ['imaging', 'testing', 'approving', 'publishing', 'complete'])
      expect(output).toMatch(new RegExp(`← \\d+ ${phase} `));
    for (const name of ['airline-greeting', 'airline-greeting-words']) {
      expect(output).toMatch(new RegExp(`tested: ${name} \\(is changed\\): http`));
      expect(output).toMatch(new RegExp(`installed by apt from \\S+/archive/\\w+: ${name} 1\\.0`));
    }
    expect(output).toMatch(/ticket at 1000, Complete/);
    expect(output).toMatch(/airline-greeting says: Hello from the landing\./);
    expect(output).toMatch(/verdict: landed, \d+ events, seq 1 to \d+ without a gap/);
    expect(code).toBe(0);
  });
});
