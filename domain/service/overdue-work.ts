import { durationText } from '../text/quantity-text.ts';

/** What goes on without getting on, as the status of the API has it. */
export type OverdueWork = {
  /** How long the step of a build has failed that has failed longest, in ms; null where none fails. */
  build_step_failing_ms: number | null;
  /** How long the landing has waited that has waited longest for images of a tester, in ms; null where none does. */
  tester_wait_ms: number | null;
  /** How long the event has waited for the broker that has waited longest, in ms; null where none does. */
  event_wait_ms: number | null;
  /** How long no watch has polled the PPA that waits longest for one, in ms; null while its builds leave it to one. */
  ppa_unwatched_ms: number | null;
  /** How long the webhook has been behind that has been behind longest, in ms; null where none has what waits. */
  webhook_behind_ms: number | null;
  /** Landings whose workflow cannot get on by itself. */
  stuck_landings: number;
  /** Cleanings of PPAs of the pool with such a workflow. */
  stuck_cleanings: number;
};

/** Something that is wrong. */
export type Fault = {
  /** Names it, however long it lasts. */
  what: string;
  /** A sentence of how it is now. */
  text: string;
};

/** From here on docs/operations.md has an alert set. */
const MAX_STEP_FAILING_MS = 15 * 60_000;
const MAX_TESTER_WAIT_MS = 60 * 60_000;
const MAX_EVENT_WAIT_MS = 5 * 60_000;
const MAX_WEBHOOK_BEHIND_MS = 60 * 60_000;

/** What an operator has to look after; nothing where there is none. */
export function overdueFaults(work: OverdueWork): Fault[] {
  const {
    build_step_failing_ms: failingMs,
    tester_wait_ms: testerMs,
    event_wait_ms: eventMs,
    ppa_unwatched_ms: unwatchedMs,
    webhook_behind_ms: webhookMs,
    stuck_landings: landings,
    stuck_cleanings: cleanings,
  } = work;
  const isAbove = (ms: number | null, max: number): ms is number => ms !== null && ms > max;
  return [
    isAbove(failingMs, MAX_STEP_FAILING_MS) && {
      what: 'failing step',
      text: `A step of a build has failed for ${durationText(failingMs)}: see what waits, below.`,
    },
    landings > 0 && {
      what: 'stuck landings',
      text: `${landings === 1 ? 'A landing has a workflow' : `${landings} landings have workflows`} that cannot get on: the log of an API has the alarm workflow_stuck.`,
    },
    cleanings > 0 && {
      what: 'stuck cleanings',
      text: `The cleaning of ${cleanings === 1 ? 'a PPA' : `${cleanings} PPAs`} of the pool cannot get on: the pool says why.`,
    },
    isAbove(unwatchedMs, 0) && {
      what: 'unwatched PPA',
      text: `No watch has polled a PPA for ${durationText(unwatchedMs)}, and its builds poll it one by one: the logs of the workers say why.`,
    },
    isAbove(testerMs, MAX_TESTER_WAIT_MS) && {
      what: 'no tester',
      text: `A landing has waited ${durationText(testerMs)} for a tester: start one.`,
    },
    isAbove(eventMs, MAX_EVENT_WAIT_MS) && {
      what: 'unsent message',
      text: `A message has waited ${durationText(eventMs)} for the broker: it is away, short of memory or disk, or refuses a queue.`,
    },
    isAbove(webhookMs, MAX_WEBHOOK_BEHIND_MS) && {
      what: 'late webhook',
      text: `A webhook has been behind for ${durationText(webhookMs)}: its receiver fails, or takes longer to answer than events come.`,
    },
  ].filter((fault) => fault !== false);
}
