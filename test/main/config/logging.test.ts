import { spawnSync } from 'node:child_process';
import { blankSecrets } from '../../../main/config/logging.ts';
import { programArguments } from '../../support/program.ts';

const [SOURCE_MAPS = '', LOGGING] = await programArguments('main/config/logging.ts');

jest.setTimeout(600_000);

const say = (format: string, statement: string) =>
  spawnSync(
    process.execPath,
    [
      SOURCE_MAPS,
      '--input-type=module',
      '--eval',
      `import { createLogger } from '${LOGGING}';
       const logger = createLogger({ name: 'api', level: 'info', format: '${format}' });
       ${statement}
       process.exit(0);`,
    ],
    { encoding: 'utf8' },
  ).stdout;

const SHOWN = { answer: 'a␛[2Jb<U+009B>c<U+202E>d␍e␀␈', msg: 'said ␛]0;x␇' };

describe('a process logs', () => {
  it('JSON lines, the last one before an exit included', () => {
    const lines = say('json', "logger.info({ buildId: 7 }, 'first'); logger.error('last');")
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toEqual([
      expect.objectContaining({ name: 'api', level: 30, msg: 'first', buildId: 7 }),
      expect.objectContaining({ level: 50, msg: 'last' }),
    ]);
  });

  it('text for people', () => {
    expect(say('text', "logger.warn('the disk is full');")).toMatch(
      /^\[[\d:.]+\] WARN \(api\): the disk is full\n$/,
    );
  });

  it('nothing below its level', () => {
    expect(say('json', "logger.debug('detail');")).toBe('');
  });

  it('no secrets', () => {
    const output = say(
      'json',
      `logger.info(
         { url: 'postgres://airline:s3cret@127.0.0.1/airline', token: 's3cret', headers: { authorization: 's3cret' } },
         'connecting to amqp://guest:s3cret@127.0.0.1/',
       );
       logger.error(new Error('no answer from http://me:s3cret@127.0.0.1/'));`,
    );
    expect(output).toContain('postgres://airline:***@127.0.0.1/airline');
    expect(output).not.toContain('s3cret');
  });

  it('no values of a statement that failed, whatever their size, and enough to find it', () => {
    const output = say(
      'json',
      `import { UniqueConstraintError, DatabaseError, ValidationErrorItem } from 'sequelize';
       const failed = () => Object.assign(new Error('Connection terminated'), {
         code: '23514',
         detail: 'Failing row contains (7, https://host/x.dsc?X-Amz-Signature=s3cret).',
         table: 'build',
         sql: 'INSERT INTO "build" VALUES ($1)' + ' '.repeat(10_000),
         parameters: ['https://host/x.dsc?X-Amz-Signature=s3cret', 's3cret'.repeat(500_000)],
       });
       logger.error({ err: new DatabaseError(failed()) }, 'request failed');
       const item = new ValidationErrorItem('taken', 'unique violation', 'url', 's3cret', { url: 's3cret' });
       const taken = new UniqueConstraintError({ parent: failed(), fields: { url: 's3cret' }, errors: [item] });
       logger.error(Object.assign(new Error('of many'), { errors: [taken], last: taken }));`,
    );
    expect(output).not.toContain('s3cret');
    const [one = '', many = ''] = output.trimEnd().split('\n');
    expect(one.length).toBeLessThan(5_000);
    const shown = {
      sql: expect.stringMatching(/^INSERT INTO "build" VALUES \(\$1\) +…$/),
      parent: { code: '23514', table: 'build', stack: expect.stringContaining('Connection') },
    };
    expect(JSON.parse(one)).toMatchObject({
      msg: 'request failed',
      err: { type: 'DatabaseError', message: 'Connection terminated', ...shown },
    });
    expect(JSON.parse(many)).toMatchObject({
      err: { message: 'of many', aggregateErrors: [shown], last: shown },
    });
  });

  it('all that other errors have', () => {
    const output = say(
      'json',
      "logger.error(Object.assign(new Error('refused'), { code: 7, fields: { ppa: 'wrong' } }));",
    );
    expect(JSON.parse(output)).toMatchObject({
      err: { message: 'refused', code: 7, fields: { ppa: 'wrong' } },
    });
  });

  it('no secret of a webhook, wherever it stands', () => {
    const output = say('json', `logger.warn('refused: ["whsec_${'aB3+/'.repeat(8)}s3cret=="]');`);
    expect(JSON.parse(output)).toMatchObject({ msg: 'refused: ["***"]' });
  });

  it('no token, wherever it stands', () => {
    const token = `airline_${'aB3_-'.repeat(8)}xyz`;
    const output = say(
      'json',
      `logger.warn({ header: 'OAuth realm="OAuth", oauth_token="s3cret", oauth_signature="%26s3cret"' },
         'refused: Bearer ${token}, ?api_key=${token}&x');`,
    );
    expect(output).toContain('refused: Bearer ***, ?api_key=***&x');
    expect(output).not.toContain('s3cret');
  });

  it.each(['json', 'text'])('nothing that acts on a terminal, as %s', (format) => {
    const output = say(
      format,
      `logger.error({ answer: 'a\\u001b[2Jb\\u009bc\\u202ed\\re\\u0000\\b' }, 'said \\u001b]0;x\\u0007');`,
    );
    if (format === 'json') expect(JSON.parse(output)).toMatchObject(SHOWN);
    else for (const text of Object.values(SHOWN)) expect(output).toContain(text);
    // oxlint-disable-next-line no-control-regex
    expect(output).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]/);
  });
});

/** Runs statements with a logger whose destination is a full disk, until `makeRoom` is called. */
function onFullDisk(format: string, isGathering: boolean, statements: string) {
  return spawnSync(
    process.execPath,
    [
      SOURCE_MAPS,
      '--input-type=module',
      '--eval',
      `import fs from 'node:fs';
       import { createLogger } from '${LOGGING}';
       const { write, writeSync } = fs;
       const makeRoom = () => Object.assign(fs, { write, writeSync });
       const full = () => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
       fs.writeSync = () => { throw full(); };
       fs.write = (...given) => setImmediate(given.at(-1), full());
       const logger = createLogger({
         name: 'api', level: 'info', format: '${format}', isTerminal: false, isGathering: ${isGathering},
       });
       ${statements}`,
    ],
    { encoding: 'utf8', timeout: 300_000 },
  );
}

describe.each([
  ['json', true],
  ['json', false],
  ['text', false],
])('a full disk, for lines of %s (gathered: %s)', (format, isGathering) => {
  it.each(["logger.info('x');", "logger.info('x'); process.exit(0);", "logger.fatal('x');"])(
    'neither ends nor holds a process: %s',
    (statements) => {
      expect(onFullDisk(format, isGathering, statements)).toMatchObject({ status: 0, stderr: '' });
    },
  );

  it('gets the lines later, when it has room', () => {
    const { stdout } = onFullDisk(
      format,
      isGathering,
      "logger.info('first'); logger.fatal('second'); makeRoom(); logger.info('third');",
    );
    expect(stdout).toMatch(/^[^\n]*first[^\n]*\n[^\n]*second[^\n]*\n[^\n]*third[^\n]*\n$/);
  });
});

it('leaves an address without a password as it is', () => {
  expect(blankSecrets('see http://127.0.0.1:8233/x?a:b@c')).toBe(
    'see http://127.0.0.1:8233/x?a:b@c',
  );
});

it('blanks the password of an address whatever is written before it', () => {
  expect(blankSecrets('x-postgres+very-long-name-of-a-driver-and-more://me:s3cret@db/a')).toBe(
    'x-postgres+very-long-name-of-a-driver-and-more://me:***@db/a',
  );
});

it.each([
  ['words before an address', `://${'a-'.repeat(100_000)}`],
  ['beginnings of addresses', 'a://'.repeat(50_000)],
  ['users without a password', '://a:b'.repeat(30_000)],
  ['beginnings of tokens', 'airline_-'.repeat(20_000)],
  ['beginnings of secrets', 'whsec_-oauth_token="\\'.repeat(10_000)],
])('takes no time over a long line of %s', (_name, line) => {
  const before = process.cpuUsage();
  blankSecrets(line);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
});
