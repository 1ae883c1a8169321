import { spawnSync } from 'node:child_process';
import { programArguments } from '../../support/program.ts';

const [SOURCE_MAPS = '', LOGGING] = await programArguments('main/config/logging.ts');

jest.setTimeout(600_000);

/** What a caller, a server or a log would have to say for a line of its own in ours. */
const FORGED =
  'x\n[17:00:00.000] ERROR (api): forged\r\n{"level":50,"msg":"forged"}\u2028y\u0085z\u001b[1A';

/** What a process prints that logs it in every place where a text can stand. */
function logged(format: 'json' | 'text'): string[] {
  const statement = `
    import { createLogger } from '${LOGGING}';
    const forged = ${JSON.stringify(FORGED)};
    const logger = createLogger({ name: 'api', level: 'info', format: '${format}' });
    logger.info(forged);
    logger.warn({ path: forged, list: [forged], deep: { text: forged } }, 'fields');
    logger.error({ err: new Error(forged, { cause: new Error(forged) }) }, forged);
    logger.child({ requestId: forged }).info('a child');
    process.exit(0);`;
  const { stdout, status } = spawnSync(
    process.execPath,
    [SOURCE_MAPS, '--input-type=module', '--eval', statement],
    { encoding: 'utf8', timeout: 300_000 },
  );
  expect(status).toBe(0);
  return stdout.trimEnd().split('\n');
}

describe('a text that looks like a line of the log', () => {
  let lines: { json: string[]; text: string[] };

  beforeAll(() => {
    lines = { json: logged('json'), text: logged('text') };
  });

  it('is a part of one line of JSON, wherever it stands', () => {
    const entries = lines.json.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.map(({ level }) => level)).toEqual([30, 40, 50, 30]);
    expect(entries[1]).toMatchObject({ msg: 'fields', deep: { text: entries[1]?.['path'] } });
  });

  it('is set apart from the lines for people, wherever it stands', () => {
    const own = lines.text.filter((line) => !line.startsWith('    '));
    expect(own).toHaveLength(4);
    for (const line of own)
      expect(line).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] (?:INFO|WARN|ERROR) \(api\): /);
    expect(own.filter((line) => line.includes('forged'))).toEqual([]);
    expect(lines.text.filter((line) => line.includes('forged')).length).toBeGreaterThan(4);
  });

  it.each(['json', 'text'] as const)('moves no cursor and ends no line, as %s', (format) => {
    const output = lines[format].join('\n');
    // oxlint-disable-next-line no-control-regex
    expect(output).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028]/);
  });
});
