import Koa from 'koa';
import pino from 'pino';
import { ALL_TARGETS } from '../../../domain/access/target-rule.ts';
import type { RequestState } from '../../../api/http/context.ts';
import { answerErrors } from '../../../api/http/errors.ts';
import { presentAddresses } from '../../../api/http/present-addresses.ts';
import { limitRate } from '../../../api/http/rate-limit.ts';
import { fakeDate } from '../../support/fake-date.ts';
import { useKoa } from '../serve-koa.ts';

const NOW = Date.parse('2026-05-04T12:00:00Z');

function appWith(limit: { requests: number; windowMs: number }): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.use((ctx, next) => {
    ctx.state.logger = () => pino({ level: 'silent' });
    ctx.state.actor = { name: ctx.get('X-Actor'), scopes: [], targets: ALL_TARGETS };
    return next();
  });
  app.use(presentAddresses({ hosts: [], refusedPorts: [], storeUrl: '' }));
  app.use(answerErrors(5));
  app.use(limitRate(limit));
  app.use((ctx) => (ctx.body = 'done'));
  return app;
}

const ask = async (url: string, actor: string) => {
  const response = await fetch(url, { headers: { 'x-actor': actor } });
  const { status, headers } = response;
  const text = await response.text();
  return {
    status,
    policy: headers.get('ratelimit-policy'),
    left: headers.get('ratelimit'),
    retryAfter: headers.get('retry-after'),
    code: status === 200 ? undefined : JSON.parse(text).code,
  };
};

describe('a limit of three requests in 90.5 seconds', () => {
  const server = useKoa(appWith({ requests: 3, windowMs: 90_500 }));
  const policy = '"default";q=3;w=91';
  beforeEach(() => fakeDate(NOW));
  afterEach(() => jest.useRealTimers());

  it('tells what is left, then refuses with 429 until the window ends', async () => {
    const passed = { status: 200, policy, retryAfter: null, code: undefined };
    expect(await ask(server.url, 'lander')).toEqual({ ...passed, left: '"default";r=2;t=91' });
    jest.setSystemTime(NOW + 60_000);
    expect(await ask(server.url, 'lander')).toEqual({ ...passed, left: '"default";r=1;t=31' });
    expect(await ask(server.url, 'lander')).toEqual({ ...passed, left: '"default";r=0;t=31' });
    const refused = { status: 429, policy, left: '"default";r=0;t=31', retryAfter: '31' };
    for (let time = 0; time < 2; time++)
      expect(await ask(server.url, 'lander')).toEqual({ ...refused, code: 'rate_limited' });
    jest.setSystemTime(NOW + 90_500);
    expect(await ask(server.url, 'lander')).toEqual({ ...passed, left: '"default";r=2;t=91' });
  });

  it('is counted for each actor apart', async () => {
    for (let time = 0; time < 4; time++) await ask(server.url, 'busy');
    expect(await ask(server.url, 'busy')).toMatchObject({ status: 429 });
    expect(await ask(server.url, 'quiet')).toMatchObject({ status: 200 });
  });

  it('lets exactly three of twenty through that come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(server.url, 'hasty')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(17);
  });
});

describe('a limit of 0', () => {
  const server = useKoa(appWith({ requests: 0, windowMs: 1_000 }));

  it('is none, and is not spoken of', async () => {
    for (let time = 0; time < 5; time++)
      expect(await ask(server.url, 'lander')).toMatchObject({
        status: 200,
        policy: null,
        left: null,
      });
  });
});
