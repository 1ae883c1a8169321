import { createTemporalWorkflows } from '../../dispatch/temporal-workflows.ts';
import { BUILD_LIMITS, CLEANING_LIMITS, LANDING_LIMITS } from '../support/build-limits.ts';
import { besideProxy } from '../support/scripted-temporal.ts';

it('asks Temporal itself, whatever proxy the environment names', async () => {
  const calls = await besideProxy(async (address) => {
    const workflows = createTemporalWorkflows({
      address,
      namespace: 'default',
      limits: BUILD_LIMITS,
      landingLimits: LANDING_LIMITS,
      cleaningLimits: CLEANING_LIMITS,
      rpcTimeoutMs: 10_000,
      uploadCheckMs: 10_000,
    });
    try {
      await workflows.probe();
    } finally {
      await workflows.close();
    }
  });
  expect(calls).toContain('GetSystemInfo');
});
