import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { until } from '../../support/until.ts';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const { get, post } = createWorld(api);

const imported = (file: unknown, headers: Record<string, string> = {}) =>
  post('binarypackage/import/', file, headers);
const counts = async () => {
  const [binary, source] = [await get('binarypackage/'), await get('sourcepackage/')];
  return [binary.json.meta.total_count, source.json.meta.total_count];
};
const hello = { name: 'hello', sourcepackage: 'hello', version: '2.10-3' };
const libc = { name: 'libc6', sourcepackage: 'glibc', version: '2.40-1' };
const libcDev = { name: 'libc6-dev', sourcepackage: 'glibc', version: '2.40-1' };

describe('the import of binary packages', () => {
  it('takes the file as it is and says what it did', async () => {
    const answer = await imported([hello, libc, libcDev]);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ created: 3, updated: 0, unchanged: 0 });
    const listed = await get('binarypackage/?order_by=name');
    const [source] = (await get('sourcepackage/?name=glibc')).json.objects;
    expect(listed.json.objects).toMatchObject([
      { name: 'hello', version: '2.10-3', seeded: false },
      { name: 'libc6', version: '2.40-1', sourcepackage: source.resource_uri },
      { name: 'libc6-dev', version: '2.40-1', sourcepackage: source.resource_uri },
    ]);
  });

  it('changes nothing when it is repeated', async () => {
    const before = (await get('binarypackage/')).text;
    expect((await imported([hello, libc, libcDev])).json).toEqual({
      created: 0,
      updated: 0,
      unchanged: 3,
    });
    expect((await get('binarypackage/')).text).toBe(before);
  });

  it('changes what differs', async () => {
    const file = [hello, { ...libc, version: '2.41-1' }, { ...libcDev, seeded: 'True' }];
    expect((await imported(file)).json).toEqual({ created: 0, updated: 2, unchanged: 1 });
    expect((await get('binarypackage/?name=libc6')).json.objects).toMatchObject([
      { version: '2.41-1' },
    ]);
    expect((await get('binarypackage/?seeded=True')).json.objects).toMatchObject([
      { name: 'libc6-dev' },
    ]);
  });

  it('counts an entry that is repeated once', async () => {
    expect((await imported([hello, hello])).json).toEqual({
      created: 0,
      updated: 0,
      unchanged: 1,
    });
    expect((await imported([])).json).toEqual({ created: 0, updated: 0, unchanged: 0 });
  });

  it('is emptied of its body by Prefer: return=minimal', async () => {
    expect(await imported([hello], { Prefer: 'return=minimal' })).toMatchObject({
      status: 200,
      text: '',
    });
  });

  it('names the fields that it does not know, or refuses them if that is preferred', async () => {
    const file = [hello, { ...libc, seedd: true }, { ...libcDev, also: 1 }];
    const answer = await imported(file);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('airline-ignored')).toBe('[1].seedd, [2].also');
    const strict = { Prefer: 'handling=strict' };
    expect(await imported(file, strict)).toMatchObject({
      status: 400,
      json: { code: 'unknown_fields', error: 'Not known here: [1].seedd, [2].also.' },
    });
    expect((await imported([hello, libc], strict)).status).toBe(200);
    const many = Array.from({ length: 30 }, () => ({ ...hello, seedd: true }));
    const names = (await imported(many)).headers.get('airline-ignored');
    expect(names?.split(', ')).toHaveLength(20);
  });

  it('happens once for each Idempotency-Key', async () => {
    const once = { 'Idempotency-Key': 'import-1' };
    const file = [{ ...hello, name: 'keyed' }];
    expect((await imported(file, once)).json).toMatchObject({ created: 1 });
    const again = await imported(file, once);
    expect(again.json).toMatchObject({ created: 1 });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await imported([hello], once)).status).toBe(422);
  });
});

/** Begins three imports of an empty file: one of them is refused. */
async function beginThree(coding: 'identity' | 'gzip') {
  const url = `${api.now.url}/api/v1/binarypackage/import/`;
  const file = coding === 'gzip' ? gzipSync('[]') : Buffer.from('[]');
  const headers = {
    'content-type': 'application/json',
    'content-encoding': coding,
    'content-length': file.length,
  };
  const senders = [1, 2, 3].map(() => request(url, { method: 'POST', headers, agent: false }));
  const answers = senders.map(async (sender) => {
    const [answer] = (await once(sender, 'response')) as [IncomingMessage];
    return { sender, answer, body: JSON.parse(await text(answer)) };
  });
  for (const sender of senders) sender.write(file.subarray(0, 1));
  const refused = await Promise.race(answers);
  const taken = senders.filter((sender) => sender !== refused.sender);
  return { taken, refused, answers, rest: file.subarray(1) };
}

it('two imports come in at once: a third is refused, and taken once they are over', async () => {
  const { taken, refused, answers, rest } = await beginThree('identity');
  expect(refused.answer.statusCode).toBe(503);
  expect(refused.answer.headers['retry-after']).toBe('5');
  expect(refused.body).toMatchObject({ code: 'overloaded' });
  for (const sender of taken) sender.end(rest);
  const codes = (await Promise.all(answers)).map(({ answer }) => answer.statusCode);
  expect(codes.filter((code) => code === 200)).toHaveLength(2);
  expect((await imported([])).status).toBe(200);
});

it.each(['identity', 'gzip'] as const)(
  'two imports whose senders go while they send leave room for others, coded by %s',
  async (coding) => {
    const { taken, refused } = await beginThree(coding);
    expect(refused.answer.statusCode).toBe(503);
    for (const sender of taken) sender.destroy();
    await until('there is room', async () => (await imported([])).status === 200);
  },
);

describe('a file with a wrong entry', () => {
  it('changes nothing, and every wrong field is named by its index', async () => {
    const before = await counts();
    const answer = await imported([
      { name: 'fine', sourcepackage: 'fine', version: '1' },
      { name: 'no-source', version: '1' },
      'libc6',
      { name: 'n'.repeat(4097), sourcepackage: 's'.repeat(256), version: ' ' },
      { name: 'nul\0', sourcepackage: null, version: 7, seeded: 'maybe' },
      null,
    ]);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      binarypackage: {
        __all__: ['5 of 6 entries are not valid.'],
        '[1].sourcepackage': ['This field is required.'],
        '[2]': ['Enter an object.'],
        '[3].name': ['Ensure this value has at most 4096 characters.'],
        '[3].sourcepackage': ['Ensure this value has at most 255 characters.'],
        '[3].version': ['This field is required.'],
        '[4].name': ['The text has characters that cannot be stored.'],
        '[4].sourcepackage': ['This field is required.'],
        '[4].version': ['Enter a string.'],
        '[4].seeded': ['Enter true or false.'],
        '[5]': ['Enter an object.'],
      },
    });
    expect(await counts()).toEqual(before);
  });

  it.each([
    ['version', { version: '2' }],
    ['source package', { sourcepackage: 'other' }],
    ['seeded', { seeded: true }],
  ])('is one with a name twice and another %s', async (_what, other) => {
    const twice = { name: 'twice', sourcepackage: 'twice', version: '1' };
    const before = await counts();
    const answer = await imported([hello, twice, { ...twice, ...other }]);
    expect(answer.status).toBe(400);
    expect(answer.json.binarypackage).toEqual({
      __all__: ['1 of 3 entries are not valid.'],
      '[2].name': ['[1] says something else of twice.'],
    });
    expect(await counts()).toEqual(before);
  });

  it.each([1_000, 1_001, 300_000])(
    'has its first twenty wrong entries named, and is read no further than it has to be: %d',
    async (count) => {
      const answer = await imported(Array.from({ length: count }, () => ({})));
      expect(answer.status).toBe(400);
      const { __all__: all, ...fields } = answer.json.binarypackage;
      const wrong = count > 1_000 ? 'More than 1000' : '1000';
      expect(all).toEqual([`${wrong} of ${count} entries are not valid; the first 20 are named.`]);
      expect(Object.keys(fields)).toHaveLength(60);
      expect(Object.keys(fields)).toContain('[19].version');
    },
  );
});

describe('a body that is no file of binary packages', () => {
  it.each([{ objects: [] }, null, 'text', 7])('is refused: %j', async (body) => {
    const answer = await imported(body);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      code: 'malformed_json',
      hint: expect.stringMatching(/\barray\b/),
    });
  });

  it('is refused when it is larger than an import may be, which is more than another request', async () => {
    const long = { ...hello, version: '1'.repeat(4_096) };
    const many = Array.from({ length: 50 }, (_, index) => ({
      ...long,
      name: `${hello.name}-${index}`,
    }));
    expect((await imported(many)).status).toBe(200);
    const single = { ...hello, version: '1'.repeat(200_000) };
    expect((await post('binarypackage/', single)).status).toBe(413);
    const tooLong = await imported([{ ...hello, version: '1'.repeat(10_000_000) }]);
    expect(tooLong.status).toBe(413);
    expect(tooLong.json).toMatchObject({ code: 'too_large' });
  });

  // Parsed, it would take the memory of many times its text.
  it.each([
    ['empty objects', {}],
    ['numbers', 1],
    ['empty lists', []],
  ])(
    'is refused unparsed when it has more values than a file of entries: %s',
    async (_what, value) => {
      const answer = await imported(Array.from({ length: 700_000 }, () => value));
      expect(answer.status).toBe(413);
      expect(answer.json).toMatchObject({
        code: 'too_large',
        error: 'The body has more than 625000 values.',
      });
    },
  );

  it('leaves lists out where an object is due', async () => {
    const answer = await post('binarypackage/', [hello]);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ code: 'malformed_json' });
  });
});

describe('a file of 20,000 entries', () => {
  const file = Array.from({ length: 20_000 }, (_, index) => ({
    name: `lib-${index}`,
    sourcepackage: `source-${index % 5_000}`,
    version: `1.${index}-1`,
  }));
  // Far more than it takes, and far less than a statement for each entry would.
  const MAX_MS = 20_000;

  it('is imported in little time, again and again', async () => {
    const begun = performance.now();
    expect((await imported(file)).json).toEqual({ created: 20_000, updated: 0, unchanged: 0 });
    const changed = file.map((entry, index) =>
      index % 2 === 0 ? { ...entry, version: '2' } : entry,
    );
    expect((await imported(changed)).json).toEqual({
      created: 0,
      updated: 10_000,
      unchanged: 10_000,
    });
    // PostgreSQL plans a prepared statement for its values five times, then maybe for any.
    for (let again = 0; again < 6; again++)
      expect((await imported(changed)).json).toEqual({
        created: 0,
        updated: 0,
        unchanged: 20_000,
      });
    expect((performance.now() - begun) / 8).toBeLessThan(MAX_MS);
    const page = await get('binarypackage/?name__startswith=lib-1999&order_by=name');
    expect(page.json.meta.total_count).toBe(11);
  }, 300_000);

  it('is imported twice at once, in another order, without a deadlock', async () => {
    const entries = file.map(({ name, ...rest }) => ({ ...rest, name: `twin-${name}` }));
    const answers = await Promise.all([imported(entries), imported(entries.toReversed())]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const created = answers.map(({ json }) => json.created).toSorted((one, other) => one - other);
    expect(created).toEqual([0, 20_000]);
    const unchanged = answers.map(({ json }) => json.unchanged);
    expect(Math.max(...unchanged)).toBe(20_000);
  });
});
