import { DATABASE_AWAY_MS } from '../../../domain/builds/build-workflow.ts';
import { DEFAULT_LANDING_POLICY } from '../../../domain/landings/landing-policy.ts';
import { landingTimeoutMs } from '../../../domain/landings/landing-timeout.ts';
import { BUILD_LIMITS, LANDING_LIMITS } from '../../support/build-limits.ts';

const DAY_MS = 86_400_000;
const LIMITS = { ...LANDING_LIMITS, approvalMs: 7 * DAY_MS, testsMs: 2 * DAY_MS };

function timeoutMs(packages: number, staleTries: number, approvalMs = LIMITS.approvalMs): number {
  const one = { subticketId: 1, source: 'hello', version: '1', files: [] };
  return landingTimeoutMs(
    {
      packages: Array.from({ length: packages }, () => one),
      policy: { ...DEFAULT_LANDING_POLICY, staleTries },
    },
    { ...LIMITS, approvalMs },
    BUILD_LIMITS,
  );
}

describe('Temporal ends no landing that', () => {
  it('is paused in line, for a PPA, before its build, its images, its tests, its approval and its publication', () => {
    const unpausedMs = timeoutMs(1, 0, 0);
    expect(timeoutMs(1, 0) - unpausedMs).toBeGreaterThanOrEqual(7 * LIMITS.approvalMs);
  });

  it('is tested and approved again, each time with pauses', () => {
    const roundMs = LIMITS.testsMs + LIMITS.approvalMs + 4 * LIMITS.approvalMs;
    expect(timeoutMs(1, 2) - timeoutMs(1, 0)).toBe(2 * roundMs);
  });

  it('is tested once more on new base images', () => {
    const { queueMs, leaseMs = 0, testsMs, publicationMs } = LIMITS;
    const workMs = queueMs + leaseMs + 2 * testsMs + publicationMs;
    expect(timeoutMs(0, 0, 0)).toBeGreaterThan(workMs + DATABASE_AWAY_MS);
  });

  it('builds one package after the other, each after a pause', () => {
    const buildMs = timeoutMs(2, 0) - timeoutMs(1, 0);
    expect(buildMs).toBeGreaterThan(BUILD_LIMITS.wholeBuildMs + LIMITS.approvalMs);
  });

  it('waits at its end for a database that is away', () => {
    const { queueMs, leaseMs = 0, testsMs, publicationMs } = LIMITS;
    const workMs = queueMs + leaseMs + testsMs + publicationMs;
    expect(timeoutMs(0, 0, 0) - workMs).toBeGreaterThan(DATABASE_AWAY_MS);
  });
});
