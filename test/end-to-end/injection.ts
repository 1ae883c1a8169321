import { readdirSync, readFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { connect, type GetMessage } from 'amqplib';
import { messageId as idOf, type ProgressMessage } from '../../domain/builds/progress.ts';
import { stackAddresses } from '../support/addresses.ts';
import type { Airline } from '../support/airline.ts';
import { readQueue } from '../support/read-queue.ts';
import { until } from '../support/until.ts';
import { queryWorkflow } from '../workflows/query-workflow.ts';

const FORGED_LINE = '{"level":50,"msg":"forged-by-a-caller"}';
/** Texts that end a line, a header, a command or a sequence, or act where they are shown. */
const HOSTILE = {
  'a line feed': 'a\nb',
  'a header': 'a\r\nX-Forged: yes',
  'a line of the log': `a\n${FORGED_LINE}`,
  'a NUL': 'a\u0000b',
  'an escape sequence': '\u001b]0;forged\u0007\u001b[2J',
  'an override': 'a\u202Eb',
  'a line separator': 'a\u2028b',
  'a path': '../../a',
  'a wildcard of AMQP': 'a.#',
  'an empty text': '',
  'a name of the broker': 'amq.direct',
  'a letter beyond ASCII': 'é',
  'an option': '--a',
  'a command': 'a;b',
  Markdown: '`a` [b](http://evil.example)',
};
/**
 * What is a name like any other in a field: neither AMQP nor an upload path reads options or names of a broker there.
 */
const HARMLESS: Record<string, string[]> = {
  progress_trigger: ['an option'],
  series: ['a name of the broker'],
};
const ENDLESS = [
  { state: 'Currently building', durationMs: 600_000 },
  { state: 'Successfully built' },
];
const HOSTILE_STATE = '**x** | [y](javascript:alert(1)) `z`';

let airline: Airline;

const api = () => airline.stack.addresses.api;
async function call(
  path: string,
  sent: unknown,
  headers: Record<string, string> = {},
  method: 'POST' | 'PATCH' = 'POST',
) {
  const init: RequestInit = {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(sent),
    signal: AbortSignal.timeout(100_000),
  };
  const response = await fetch(`${api()}${path}`, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: JSON.parse(text || 'null') as { id: number; fields?: Record<string, string[]> },
  };
}
/** Sends bytes as they are. @returns the head of the answer */
function sendRaw(request: string): Promise<string> {
  const { hostname, port } = new URL(api());
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connectSocket(Number(port), hostname, () => socket.write(request));
    socket.setEncoding('latin1').setTimeout(100_000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (text: string) => (answer += text));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer.split('\r\n\r\n')[0] ?? ''));
  });
}
async function workflowTexts(workflowId: string) {
  const handle = airline.temporal.workflow.getHandle(workflowId);
  const described = await handle.describe();
  const { currentDetails } = await queryWorkflow<{ currentDetails: string }>(
    handle,
    '__temporal_workflow_metadata',
  );
  return {
    id: described.workflowId,
    memo: described.memo,
    attributes: Object.fromEntries(
      described.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]),
    ),
    summary: await described.staticSummary(),
    details: (await described.staticDetails()) ?? '',
    current: currentDetails,
  };
}
/** All that the processes have logged. */
function logLines(): string[] {
  const { logDir } = airline.stack;
  return readdirSync(logDir).flatMap((name) =>
    readFileSync(join(logDir, name), 'utf8').trimEnd().split('\n'),
  );
}
async function read(queue: string): Promise<GetMessage[]> {
  const connection = await connect(stackAddresses().amqpUrl);
  try {
    const channel = await connection.createChannel();
    // The publisher may not have made it yet, and a queue that is not there ends the channel.
    await channel.assertQueue(queue, { durable: true });
    return await readQueue(channel, queue);
  } finally {
    await connection.close();
  }
}

/**
 * What comes from a request, from the PPA or by a signal goes on into queues, headers, logs and Temporal. Nothing of it
 * may be more there than a text.
 *
 * @param started the Airline of the test file, whose script is changed
 */
export function declareInjectionTests(started: () => Airline): void {
  beforeAll(() => {
    airline = started();
  });

  describe('a request for a build', () => {
    const request = (fields: Record<string, unknown>) => ({
      ticket_id: 1,
      source_packages: [`${api()}/store/uploads/x/hello_1_source.changes`],
      series: 'bookworm',
      ppa: 'ppa:airline/test',
      archive: 'debian',
      progress_trigger: 'lander',
      ...fields,
    });

    it.each(
      ['progress_trigger', 'series', 'ppa'].flatMap((field) =>
        Object.entries(HOSTILE)
          .filter(([name]) => !HARMLESS[field]?.includes(name))
          .map(([name, text]) => [field, name, text] as const),
      ),
    )('has no %s that is %s', async (field, _name, text) => {
      const { status, json, headers } = await call(
        '/api/v1/build_source',
        request({ [field]: text }),
      );
      expect(status).toBe(400);
      expect(Object.keys(json.fields ?? {})).toEqual([field]);
      expect(headers.get('x-forged')).toBeNull();
    });

    it.each([
      ['a backslash, which a browser takes for a slash', 'x%0A**evil**\\hello_1_source.changes'],
      ['an encoded line feed in its name', 'hello%0A_1_source.changes'],
      ['an encoded NUL in its name', 'hello%00_1_source.changes'],
      ['a line feed', 'x\nhello_1_source.changes'],
      ['an encoded header', 'hello_1%0D%0AX-Forged:%20yes_source.changes'],
    ])('has no source whose URL has %s', async (_name, path) => {
      const url = `${api()}/store/uploads/${path}`;
      const { status, json } = await call(
        '/api/v1/build_source',
        request({ source_packages: [url] }),
      );
      expect(status).toBe(400);
      expect(Object.keys(json.fields ?? {})).toEqual(['source_packages']);
    });

    it('brings nothing of its query and headers into Temporal, the queue, the answer or the logs', async () => {
      airline.play({
        sources: { harmless: { builds: { '*': [{ state: 'Successfully built' }] } } },
      });
      const { ticketId, urls } = await airline.submit({ name: 'harmless' });
      const queue = `injection-${Date.now()}`;
      const changes = urls.find((url) => url.endsWith('.changes')) ?? '';
      const { status, json, headers } = await call(
        '/api/v1/build_source',
        {
          ...request({ ticket_id: ticketId, progress_trigger: queue }),
          source_packages: urls.map((url) =>
            url === changes
              ? `${url.replace(/\.changes$/, '%2Echanges')}?x=/%0A%0A**evil**_2_source.changes`
              : url,
          ),
          cancel_url: `${api()}/store/uploads/x?a=\`**b**\`&c=%0A%0A[d](http://evil.example)`,
        },
        {
          'x-request-id': '`<b>evil</b>`',
          traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01; evil`,
          tracestate: 'evil=\u00e9',
          'idempotency-key': '"e\\"vil key: [31m"',
        },
      );
      expect(status).toBe(202);
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get('traceparent')).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
      expect(headers.get('tracestate')).toBeNull();
      const build = await airline.build(json.id);
      const messages = await until(
        'the final message',
        async () => {
          const read = await airline.rest.get<{ objects: ProgressMessage[] }>(
            `${build.resource_uri}events/?after=0`,
          );
          return read.objects.at(-1)?.exit && read.objects;
        },
        600_000,
      );
      const texts = await workflowTexts(build.workflow_id);
      expect(texts.id).toMatch(/^[a-z0-9-]+$/);
      expect(texts.attributes['AirlineSource']).toEqual(['harmless 1.0']);
      expect(JSON.stringify(texts)).not.toMatch(/evil|\\u001b|\*\*b\*\*/);
      expect(messages.length).toBeGreaterThan(1);
      const sent: GetMessage[] = [];
      await until(
        'all messages',
        async () => {
          sent.push(...(await read(queue)));
          const ids = sent.map(({ properties }) => properties.messageId as unknown);
          return messages.every((message) => ids.includes(idOf(message)));
        },
        600_000,
      );
      for (const { properties, fields } of sent) {
        expect(fields).toMatchObject({ exchange: '', routingKey: queue });
        const { messageId, type, timestamp, ...others } = { ...properties } as Record<
          string,
          unknown
        >;
        expect(messageId).toMatch(new RegExp(`^${json.id}:\\d+$`));
        // The first has no worker message.
        expect([undefined, 'STARTED', 'INPROGRESS', 'COMPLETE', 'FAILURE']).toContain(type);
        expect(timestamp).toEqual(expect.any(Number));
        expect(Object.entries(others).filter(([, value]) => value !== undefined)).toEqual([
          ['contentType', 'application/json'],
          ['contentEncoding', 'utf-8'],
          ['headers', {}],
          ['deliveryMode', 2],
          ['appId', 'airline'],
        ]);
      }
      expect(logLines().filter((line) => line.includes('evil'))).toEqual([]);
    });
  });

  describe('a header', () => {
    it.each([
      ['a carriage return', 'X-Request-Id: a\rX-Forged: yes'],
      ['a NUL', 'X-Request-Id: a\u0000b'],
      ['an escape sequence', 'X-Request-Id: \u001b[2J'],
      ['a folded line', 'X-Request-Id: a\r\n X-Forged: yes'],
      ['two lines, of which one is a trace', 'traceparent: 00-a\r\ntraceparent: X-Forged'],
      ['a state of a trace with a tab', 'tracestate: a=\tX-Forged'],
      ['a key with an escape sequence', 'Idempotency-Key: \u001b[2J\u0007'],
    ])('with %s comes back in no answer and no log', async (_name, header) => {
      const head = await sendRaw(
        `GET /api/v1/ticket/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${header}\r\n\r\n`,
      );
      expect(head).toMatch(/^HTTP\/1\.1 (?:200|400) /);
      expect(head).not.toMatch(/X-Forged/i);
      // oxlint-disable-next-line no-control-regex
      expect(head).not.toMatch(/[\u0000-\u0009\u000B\u000C\u000E-\u001F\u007F]/);
      expect(logLines().filter((line) => line.includes('X-Forged'))).toEqual([]);
    });
  });

  describe('what a caller writes', () => {
    it('is kept as it was written, or refused, and makes no line of a log', async () => {
      const { json: ticket } = await call('/api/v1/ticket/', {
        owner: 'dev@example.org',
        title: 't',
      });
      let step = '100';
      for (const [index, text] of Object.values(HOSTILE).entries()) {
        step = text.includes('\u0000') ? step : step === '100' ? '200' : '100';
        const reason = `${text}\n${FORGED_LINE}`;
        const { status } = await call(
          `/api/v1/ticket/${ticket.id}/`,
          { current_workflow_step: step, reason },
          { 'idempotency-key': `reason-${index}` },
          'PATCH',
        );
        const { objects } = await airline.rest.get<{ objects: { reason: string }[] }>(
          `/api/v1/ticket/${ticket.id}/history/`,
        );
        const isKept = objects.some((row) => row.reason === reason);
        expect({ text, isKept, isRefused: status === 400 }).toMatchObject({
          text,
          isKept: !text.includes('\u0000'),
          isRefused: text.includes('\u0000'),
        });
      }
      for (const name of Object.values(HOSTILE)) {
        const made = await call('/api/v1/sourcepackage/', { name: `${name}\n${FORGED_LINE}` });
        expect([201, 400]).toContain(made.status);
        expect(made.headers.get('location') ?? '/api/v1/sourcepackage/1/').toMatch(
          /^[!-~]+\/\d+\/$/,
        );
      }
      const lines = logLines();
      expect(lines.length).toBeGreaterThan(10);
      expect(lines.filter((line) => line.startsWith(FORGED_LINE))).toEqual([]);
      // oxlint-disable-next-line no-control-regex
      expect(lines.filter((line) => /[\u0000-\u001F\u007F-\u009F\u2028\u202E]/.test(line))).toEqual(
        [],
      );
    });

    it.each(Object.entries(HOSTILE).filter(([name]) => name !== 'an option'))(
      'is no name of a token where it is %s',
      async (_name, text) => {
        const { status } = await call('/api/v1/token/', { name: text, scopes: ['read'] });
        expect({ text, status }).toEqual({ text, status: text === 'amq.direct' ? 201 : 400 });
      },
    );
  });

  it('neither a state of the PPA nor who cancels through Temporal says more than a text, in the message and in the UI', async () => {
    airline.play({
      sources: {
        strange: {
          builds: { '*': [{ state: HOSTILE_STATE, untilReleased: true }, ...ENDLESS] },
        },
      },
    });
    const build = await airline.requestBuild(await airline.submit({ name: 'strange' }));
    const handle = airline.temporal.workflow.getHandle(build.workflow_id);
    await until(
      'the build to run',
      async () => (await airline.build(build.id)).state === 'building',
      600_000,
    );
    const before = await until(
      'the strange state to be seen',
      async () => {
        const { current } = await workflowTexts(build.workflow_id);
        return current.includes('javascript') && current;
      },
      600_000,
    );
    expect(before).toContain('\\*\\*x\\*\\* \\| \\[y\\]\\(javascript:alert\\(1\\)\\) \\`z\\`');

    airline.play({ sources: { strange: { released: true, builds: { '*': ENDLESS } } } });
    await until(
      'a state that can be cancelled',
      async () => JSON.stringify(await airline.build(build.id)).includes('Currently building'),
      600_000,
    );
    await handle.signal('cancel', `**a**\n\n# b\n${FORGED_LINE}\u001b[2J${'x'.repeat(10_000)}`);
    const last = (await airline.messages(build)).at(-1);
    expect(last?.failure?.class).toBe('cancelled');
    expect(last?.failure?.message).toMatch(/^cancelled by \*\*a\*\* # b \{.*␛\[2Jx+; /);
    expect(last?.failure?.message.length).toBeLessThan(700);
    await handle.result();
    const { current } = await workflowTexts(build.workflow_id);
    expect(current).toContain('\\*\\*a\\*\\* \\# b');
    expect(current).not.toMatch(/\*\*a\*\*|\n#/);
    expect(current).not.toContain('\u001b');
  });

  it('who cancels through Temporal with something that is no text is an unnamed caller', async () => {
    airline.play({ sources: { nameless: { builds: { '*': ENDLESS } } } });
    const build = await airline.requestBuild(await airline.submit({ name: 'nameless' }));
    await until(
      'the build to run',
      async () => (await airline.build(build.id)).state === 'building',
      600_000,
    );
    await airline.temporal.workflow
      .getHandle(build.workflow_id)
      .signal('cancel', { toString: 'evil', list: [1] });
    const last = (await airline.messages(build)).at(-1);
    expect(last?.failure?.message).toMatch(/^cancelled by an unnamed caller; /);
  });
}
