import { median } from '../statistics.ts';
import type { AcceptMeasurement, AcceptRound } from './accept.ts';
import type { EventMeasurement } from './events.ts';
import { isSound, type FlightMeasurement } from './flight.ts';
import {
  atLeast,
  atMost,
  MIN_ACCEPT_RATIO,
  MAX_EVENTS_OF_A_MINUTE,
  MAX_WORKER_BYTES,
  type Goal,
} from './goals.ts';

/** What was measured; a run may leave something out. */
export type BuildMeasurements = {
  accept?: AcceptMeasurement;
  flight?: FlightMeasurement;
  events?: EventMeasurement;
};

/** Medians of the rounds; a ratio is the median of the rounds' own, so that what slows a round cancels out. */
export type AcceptSummary = {
  rawPerSecond: number;
  acceptedPerSecond: number;
  startedPerSecond: number;
  acceptedRatio: number;
  startedRatio: number;
  /** The slower of the two: the goal's. */
  ratio: number;
};

/** @throws Error where there are no rounds */
export function summariseAccept({ rounds }: Pick<AcceptMeasurement, 'rounds'>): AcceptSummary {
  const of = (value: (round: AcceptRound) => number) => median(rounds.map(value));
  const acceptedRatio = of(({ accepted, raw }) => accepted.perSecond / raw.perSecond);
  const startedRatio = of(({ startedPerSecond, raw }) => startedPerSecond / raw.perSecond);
  return {
    rawPerSecond: of(({ raw }) => raw.perSecond),
    acceptedPerSecond: of(({ accepted }) => accepted.perSecond),
    startedPerSecond: of((round) => round.startedPerSecond),
    acceptedRatio,
    startedRatio,
    ratio: Math.min(acceptedRatio, startedRatio),
  };
}

/** The goals of all that was measured. */
export function goals({ accept, flight, events }: BuildMeasurements): Goal[] {
  return [
    ...(accept
      ? [
          atLeast(
            'builds accepted and started a second, the slower of both, as a share of raw starts',
            summariseAccept(accept).ratio,
            MIN_ACCEPT_RATIO,
          ),
        ]
      : []),
    ...(flight
      ? [
          atMost('peak memory of the worker, bytes', flight.peakBytes.worker, MAX_WORKER_BYTES),
          atLeast(
            'builds in flight that completed, none late, lost, doubled or out of order',
            isSound(flight.outcome) ? flight.outcome.completed : 0,
            flight.builds,
          ),
        ]
      : []),
    ...(events
      ? [
          atMost(
            'history events of a build of one minute',
            events.ofOneMinute.events,
            MAX_EVENTS_OF_A_MINUTE,
          ),
        ]
      : []),
  ];
}
