import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import Koa from 'koa';
import pino from 'pino';
import type { RequestState } from '../../../api/http/context.ts';
import { logRequests } from '../../../api/http/request-log.ts';
import { traceContext } from '../../../api/http/trace-context.ts';
import { until } from '../../support/until.ts';
import { useKoa } from '../serve-koa.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('the trace of a request', () => {
  it('is that of the caller, with the request as a new part of it', () => {
    const { traceId, traceparent } = traceContext({ traceparent: `00-${TRACE}-${PARENT}-01` });
    expect(traceId).toBe(TRACE);
    const [version, trace, span, flags] = traceparent.split('-');
    expect({ version, trace, flags }).toEqual({ version: '00', trace: TRACE, flags: '01' });
    expect(span).toMatch(/^(?!0+$)[0-9a-f]{16}$/);
    expect(span).not.toBe(PARENT);
  });

  it.each([
    ['is not sampled', `00-${TRACE}-${PARENT}-00`, '00'],
    ['has flags that we do not know', `00-${TRACE}-${PARENT}-fe`, '00'],
    ['is of a later version', `01-${TRACE}-${PARENT}-03`, '01'],
    ['is of a later version that says more', `cc-${TRACE}-${PARENT}-01-what-else`, '01'],
  ])('is that of the caller which %s', (_what, given, flags) => {
    const { traceparent } = traceContext({ traceparent: given });
    expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-${flags}$`));
  });

  it.each([
    ['nothing', undefined],
    ['an empty header', ''],
    ['no trace', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['no parent', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ['the version that there is not', `ff-${TRACE}-${PARENT}-01`],
    ['more than its version says', `00-${TRACE}-${PARENT}-01-more`],
    ['a later version that does not say it as such', `01-${TRACE}-${PARENT}-01.more`],
    ['too short a trace', `00-${TRACE.slice(1)}-${PARENT}-01`],
    ['flags that are no number', `00-${TRACE}-${PARENT}-0x`],
    ['two headers', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
  ])('is a new one where the caller gives %s', (_what, traceparent) => {
    const [one, other] = [0, 1].map(() => traceContext({ traceparent, tracestate: 'a=b' }));
    expect(one?.traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/);
    expect(one?.traceId).not.toBe(TRACE);
    expect(one?.traceId).not.toBe(other?.traceId);
    expect(one?.traceparent).toMatch(new RegExp(`^00-${one?.traceId}-[0-9a-f]{16}-00$`));
    expect(one?.tracestate).toBeUndefined();
  });

  it.each([
    ['goes on', 'vendor=one,other@tenant=two', 'vendor=one,other@tenant=two'],
    ['goes on up to its limit', 'x'.repeat(512), 'x'.repeat(512)],
    ['is dropped over it', 'x'.repeat(513), undefined],
    ['is dropped where it is empty', '', undefined],
    ['is dropped where it is not ASCII', 'vendor=\u00e9', undefined],
  ])('has a state that %s', (_what, tracestate, kept) => {
    const traceparent = `00-${TRACE}-${PARENT}-01`;
    expect(traceContext({ traceparent, tracestate }).tracestate).toBe(kept);
  });
});

describe('the log of requests', () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const app = new Koa<RequestState>();
  app.use(logRequests(logger));
  app.use((ctx) => {
    ctx.state.logger().info('at work');
    ctx.body = ctx.state.traceId;
  });
  const server = useKoa(app);

  it('has the trace and the request in every line, as the answer has', async () => {
    const response = await fetch(server.url, {
      headers: {
        'x-request-id': 'r-1',
        traceparent: `00-${TRACE}-${PARENT}-01`,
        tracestate: 'vendor=one',
      },
    });
    expect(await response.text()).toBe(TRACE);
    expect(response.headers.get('x-request-id')).toBe('r-1');
    expect(response.headers.get('traceparent')).toMatch(new RegExp(`^00-${TRACE}-`));
    expect(response.headers.get('tracestate')).toBe('vendor=one');
    await until('the request to be logged', () => lines.some(({ msg }) => msg === 'request'));
    expect(lines).toEqual([
      expect.objectContaining({ msg: 'at work', requestId: 'r-1', traceId: TRACE }),
      expect.objectContaining({ msg: 'request', requestId: 'r-1', traceId: TRACE, status: 200 }),
    ]);
  });

  it('begins a trace where the caller has none', async () => {
    const response = await fetch(server.url, { headers: { traceparent: 'nonsense' } });
    const traceId = await response.text();
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(response.headers.get('traceparent')).toContain(traceId);
    expect(response.headers.get('tracestate')).toBeNull();
  });

  describe('where traces are recorded', () => {
    const exporter = new InMemorySpanExporter();
    beforeAll(() => {
      const spanProcessors = [new SimpleSpanProcessor(exporter)];
      trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
    });
    afterAll(() => trace.disable());

    it('has a request that may begin something as a span of its caller; none that reads', async () => {
      const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, 'x-request-id': 'r-2' };
      await fetch(server.url, { headers });
      const response = await fetch(server.url, { headers, method: 'POST' });
      expect(await response.text()).toBe(TRACE);
      const [span] = await until('its span', () => {
        const spans = exporter.getFinishedSpans();
        return spans.length > 0 && spans;
      });
      expect(exporter.getFinishedSpans()).toHaveLength(1);
      expect(span).toMatchObject({
        name: 'POST',
        parentSpanContext: { spanId: PARENT },
        attributes: { 'http.response.status_code': 200, 'airline.request_id': 'r-2' },
      });
      const { spanId } = span?.spanContext() ?? {};
      expect(response.headers.get('traceparent')).toBe(`00-${TRACE}-${spanId}-01`);
    });

    it('records nothing of a trace that the caller does not record', async () => {
      exporter.reset();
      const headers = { traceparent: `00-${TRACE}-${PARENT}-00` };
      const response = await fetch(server.url, { headers, method: 'POST' });
      expect(response.headers.get('traceparent')).toMatch(new RegExp(`^00-${TRACE}-.*-00$`));
      expect(exporter.getFinishedSpans()).toEqual([]);
    });
  });
});
