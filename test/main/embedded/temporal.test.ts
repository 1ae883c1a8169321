import { hasPoller, temporalPart } from '../../../main/embedded/temporal.ts';
import { besideProxy } from '../../support/scripted-temporal.ts';

it('looks for pollers in Temporal itself, whatever proxy the environment names', async () => {
  const calls = await besideProxy(async (address) =>
    expect(await hasPoller({ address }, 'default', 'build-source', new Date())).toBe(false),
  );
  expect(calls).toContain('DescribeTaskQueue');
});

const partWith = ({ port = 1, durable = false }) =>
  temporalPart({
    directories: { state: '/nowhere', cache: '/nowhere' },
    port,
    uiPort: 1,
    namespace: 'default',
    account: undefined,
    durable,
    cli: () => '',
  });

it('asks its own server whether it is ready, whatever proxy the environment names', async () => {
  const calls = await besideProxy(async (address) => {
    const { isReady } = partWith({ port: Number(address.split(':')[1]) });
    expect(await isReady()).toBe(false);
  });
  expect(calls).toContain('ListSearchAttributes');
});

it('collects its garbage less often where its data are thrown away', () => {
  const rareness = (durable: boolean) => partWith({ durable }).command().environment['GOGC'];
  expect([rareness(false), rareness(true)]).toEqual(['400', undefined]);
});
