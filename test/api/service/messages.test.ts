import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type AnySchema } from 'ajv';
import addFormats from 'ajv-formats';
import { architectureBuild } from '../../support/rows.ts';
import { assertMessage } from '../../support/assert-message.ts';
import { useApi } from '../serve.ts';

const api = useApi();

const ajv = new Ajv({ strict: false });
addFormats.default(ajv);
// The schema of AsyncAPI brings that of JSON Schema along.
const ajvOfAsyncApi = new Ajv({ strict: false, meta: false, validateSchema: false });
addFormats.default(ajvOfAsyncApi);
const read = async (path: string) => (await api.now.call('GET', path)).json;

describe('the AsyncAPI document', () => {
  it('is AsyncAPI 3.0 of this version, by its official schema', async () => {
    const path = createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0.json');
    const isAsyncApi = ajvOfAsyncApi.compile(JSON.parse(readFileSync(path, 'utf8')) as AnySchema);
    const document = await read('/api/v1/asyncapi.json');
    expect(document).toMatchObject({ asyncapi: '3.0.0', info: { version: '1.2.3' } });
    expect({ isValid: isAsyncApi(document), errors: isAsyncApi.errors }).toEqual({
      isValid: true,
      errors: null,
    });
    const { channels: _, ...wrong } = document;
    expect(isAsyncApi({ ...wrong, channels: { progress: { address: 7 } } })).toBe(false);
  });

  it('has the messages of every state, with the schema that is served alone', async () => {
    const { components } = await read('/api/v1/asyncapi.json');
    expect(Object.keys(components.messages)).toEqual([
      'WAITING',
      'STATUS',
      'COMPLETED',
      'FAILED',
      'LANDING',
    ]);
    for (const [name, address] of [
      ['progress_message', 'message'],
      ['landing_message', 'landing-message'],
    ] as const) {
      const { $schema: _, $id: __, ...schema } = await read(`/api/v1/${address}.schema.json`);
      expect(components.schemas[name]).toEqual(schema);
    }
  });

  it.each(['message', 'landing-message'])('describes every field of a %s', async (address) => {
    const { properties } = await read(`/api/v1/${address}.schema.json`);
    for (const [name, field] of Object.entries(properties))
      expect({ name, field }).toMatchObject({ field: { description: expect.any(String) } });
  });

  it('is linked from the list of resources', async () => {
    const { headers } = await api.now.call('GET', '/api/v1/');
    expect(headers.get('Link')).toBe(
      '</openapi.json>; rel="service-desc", </api/v1/asyncapi.json>; rel="service-desc"',
    );
  });
});

const MESSAGE = {
  state: 'STATUS',
  message: 'INPROGRESS',
  phase: 'building',
  phase_since: '2026-01-01T00:00:00.000Z',
  source_packages: ['http://127.0.0.1/hello_1_source.changes'],
  ppa: 'ppa:me/test',
  progress_trigger: 'queue',
  seq: 4,
  build_id: 7,
  attempt: 1,
  ticket_id: 3,
  timestamp: '2026-01-01T00:00:00.000Z',
  builds: [architectureBuild()],
};
const COMPLETED = {
  ...MESSAGE,
  state: 'COMPLETED',
  message: 'COMPLETE',
  phase: 'completed',
  exit: true,
  logs: [],
  packages: [],
  apt: null,
};

describe('the JSON Schema of the messages', () => {
  it.each([
    ['one under way', MESSAGE],
    ['the first one', { ...MESSAGE, state: 'WAITING', message: null, phase: 'queued' }],
    ['the last one', COMPLETED],
  ])('takes %s', (_, message) => {
    expect(assertMessage(message)).toBe(message);
  });

  it('takes a field that a later version may add; the tests take none', async () => {
    const isMessage = ajv.compile({ ...(await read('/api/v1/message.schema.json')), $id: 'later' });
    expect(isMessage({ ...MESSAGE, later: 1 })).toBe(true);
    expect(() => assertMessage({ ...MESSAGE, later: 1 })).toThrow('additional properties');
  });

  it.each([
    ['without a seq', { ...MESSAGE, seq: undefined }, "required property 'seq'"],
    ['of another state', { ...MESSAGE, state: 'DONE' }, 'data/state'],
    ['with a time that is none', { ...MESSAGE, timestamp: 'now' }, 'date-time'],
    ['that says exit too early', { ...MESSAGE, exit: true }, 'data/exit'],
    ['of the end without its logs', { ...COMPLETED, logs: undefined }, "required property 'logs'"],
    ['of a failure without its reason', { ...COMPLETED, state: 'FAILED' }, "property 'failure'"],
  ])('refuses one %s', (_, message, why) => {
    expect(() => assertMessage(JSON.parse(JSON.stringify(message)))).toThrow(why);
  });
});
