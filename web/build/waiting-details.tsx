import type { ComponentChildren } from 'preact';
import { FAILURE_CLASSES } from '../../domain/builds/failure.ts';
import { listed } from '../../domain/text/listed.ts';
import { durationText } from '../../domain/text/quantity-text.ts';
import { waitedForWords, type WaitedFor } from '../../domain/builds/waiting.ts';
import { nowMs } from '../clock.ts';
import { Fact } from '../components/fact.tsx';
import { Icon } from '../components/icon.tsx';
import { clockTime, counted, exactTime, roughDuration } from '../format.ts';
import type { Build } from '../server/api-types.ts';
import { laterText, missingOf } from './build-texts.ts';

type Waiting = NonNullable<Build['waiting']>;

/** A wait is long when it has taken so many times what is usual, and no less than this. */
const LONG_FACTOR = 3;
const LONG_MS = 60_000;
const MAX_LISTED = 4;

/** What a build waits for, since when, how long that usually takes and when it is given up; and what may be wrong. */
export function WaitingDetails({ build, waiting }: { build: Build; waiting: Waiting }) {
  const { since, usually_ms: usuallyMs, gives_up_at: givesUpAt, ahead } = waiting;
  const now = nowMs.value;
  return (
    <>
      <dl class="waiting-details">
        <Fact name="Waits for">{whatFor(build, waiting)}</Fact>
        <Fact name="Since">
          <Moment at={since} />
        </Fact>
        <Fact name="Usually takes">
          {usuallyMs === null ? 'not known yet' : durationText(usuallyMs)}
        </Fact>
        <Fact name="Gives up">
          {givesUpAt === null ? (
            'not known'
          ) : (
            <>
              <Moment at={givesUpAt} />{' '}
              <span class="muted">{leftText(Date.parse(givesUpAt) - now)}</span>
            </>
          )}
        </Fact>
        {ahead !== null && ahead > 0 && (
          <Fact name="Before it">{counted(ahead, 'request', 'requests')}</Fact>
        )}
      </dl>
      {isLong(waiting, now) && (
        <p class="waiting-cause">
          <Icon name="warning" />
          <span>
            {usuallyMs === null ? '' : 'Longer than usual. '}
            {causeOf(build, waiting)}
          </span>
        </p>
      )}
    </>
  );
}

/** Whether a wait has lasted so long that something may be wrong. @param now milliseconds */
function isLong({ for: what, since, usually_ms: usuallyMs }: Waiting, now: number): boolean {
  if (what === 'dependency') return true;
  return now - Date.parse(since) > Math.max(LONG_MS, LONG_FACTOR * (usuallyMs ?? 0));
}

function Moment({ at }: { at: string }) {
  return (
    <time class="figure nobreak" dateTime={at} title={exactTime(at)}>
      {clockTime(at)}
    </time>
  );
}

function leftText(leftMs: number): string {
  return leftMs <= 0 ? '(any moment now)' : `(in ${roughDuration(leftMs)})`;
}

function whatFor(build: Build, { for: what }: Waiting): string {
  switch (what) {
    case 'builder': {
      const waiting = [
        ...new Set(
          build.builds.filter((one) => one.state === 'waiting').map((one) => one.architecture),
        ),
      ];
      return `a builder of the PPA${waiting.length > 0 ? `: ${listed(waiting, MAX_LISTED)}` : ''}`;
    }
    case 'dependency':
      return missingOf(build.builds).join(', ') || waitedForWords(what);
    case 'prerequisite':
      return `the PPA to publish what ${laterText(build)} needs`;
    default:
      return waitedForWords(what);
  }
}

const CAUSES: Record<WaitedFor, ComponentChildren> = {
  temporal: (
    <>
      Temporal may be away: <a href="/status">the status page</a> says whether it answers.
    </>
  ),
  worker: (
    <>
      All workers may be busy, or none may run: <a href="/status">the status page</a> says which.
    </>
  ),
  ppa: FAILURE_CLASSES.upload_rejected.hint,
  builder:
    'The builders of the PPA may all be busy, or be away. Their page in the PPA says so; nothing is wrong with the package.',
  dependency:
    'Neither the series nor the PPA has it. Build it into the PPA, and this build goes on by itself; or correct Build-Depends and request a new build.',
  prerequisite: 'The PPA publishes in rounds; a long one means that its publisher is behind.',
};

function causeOf(build: Build, { for: what }: Waiting): ComponentChildren {
  const blocked = build.builds.filter((one) => one.state === 'dependency_wait');
  if (what !== 'dependency' || blocked.length === 0) return CAUSES[what];
  const where = listed(
    blocked.map((one) => `${one.package} on ${one.architecture}`),
    MAX_LISTED,
  );
  return (
    <>
      {where}: {CAUSES.dependency}
    </>
  );
}
