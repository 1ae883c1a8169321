import { hasPoller, temporalPart } from '../../../main/embedded/temporal.ts';
import { besideProxy } from '../../support/scripted-temporal.ts';

it('looks for pollers in Temporal itself, whatever proxy the environment names', async () => {
  const calls = await besideProxy(async (address) =>
    expect(await hasPoller({ address }, 'default', 'build-source', new Date())).toBe(false),
  );
  expect(calls).toContain('DescribeTaskQueue');
});

it('asks its own server whether it is ready, whatever proxy the environment names', async () => {
  const calls = await besideProxy(async (address) => {
    const { isReady } = temporalPart({
      directories: { state: '/nowhere', cache: '/nowhere' },
      port: Number(address.split(':')[1]),
      uiPort: 1,
      namespace: 'default',
      account: undefined,
      durable: false,
      cli: () => '',
    });
    expect(await isReady()).toBe(false);
  });
  expect(calls).toContain('ListSearchAttributes');
});
