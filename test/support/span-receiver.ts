import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span as OTLP has it in JSON. */
type ReceivedSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  /** `service.name` of the process that sent it. */
  service: unknown;
};

type Attributes = ReceivedSpan['attributes'];
type Export = {
  resourceSpans: {
    resource: { attributes: Attributes };
    scopeSpans: { spans: Omit<ReceivedSpan, 'service'>[] }[];
  }[];
};

/** The value of an attribute. */
export function attributeOf({ attributes }: { attributes: Attributes }, name: string): unknown {
  const { value = {} } = attributes.find(({ key }) => key === name) ?? {};
  return Object.values(value)[0];
}

/** Starts what takes spans by OTLP over HTTP, as a collector does. */
export async function startSpanReceiver(): Promise<{
  url: string;
  spans: ReceivedSpan[];
  stop(): Promise<void>;
}> {
  const spans: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    void take(request, response);
  });

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { resourceSpans } = (await json(request)) as Export;
    for (const { resource, scopeSpans } of resourceSpans)
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({ ...span, service: attributeOf(resource, 'service.name') });
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
