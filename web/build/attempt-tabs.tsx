import { finalPhase } from '../../domain/builds/build-phase.ts';
import { StateBadge } from '../components/state-badge.tsx';
import { Ago } from '../components/relative-time.tsx';
import type { Attempt, Build } from '../server/api-types.ts';
import { buildLabel } from '../states.ts';
import { buildPlaceAddress } from './build-place.ts';

/** The attempts of a build, each with its own logs; the latest is shown unless the address names another. */
export function AttemptTabs({
  build,
  attempts,
  shown,
}: {
  build: Build;
  attempts: readonly Attempt[];
  shown: number;
}) {
  if (attempts.length < 2) return null;
  return (
    <nav class="attempt-tabs" aria-label="Attempts">
      {attempts.map((one) => (
        <a
          key={one.attempt}
          href={buildPlaceAddress(build.id, {
            attempt: one.attempt === build.attempt ? undefined : one.attempt,
          })}
          aria-current={one.attempt === shown ? 'page' : undefined}
        >
          Attempt {one.attempt}
          <StateBadge label={buildLabel(one.attempt === build.attempt ? build : one)} isPlain />
          <span class="muted">
            <Ago at={one.finished_at ?? one.requested_at} />
          </span>
        </a>
      ))}
    </nav>
  );
}

/** A build as it was in one of its attempts. @returns undefined where that attempt is not among those that are known */
export function buildInAttempt(
  build: Build,
  attempts: readonly Attempt[],
  number: number,
): Build | undefined {
  if (number === build.attempt) return build;
  const attempt = attempts.find((one) => one.attempt === number);
  if (!attempt) return undefined;
  const { last_seq: _, ...told } = attempt;
  return {
    ...build,
    ...told,
    phase: finalPhase(attempt.failure),
    waiting: null,
    trouble: null,
    upload: null,
    built_packages: [],
    apt: null,
  };
}
