import type { Table } from '../report.ts';
import { median } from '../statistics.ts';
import { CONNECTIONS, type AcceptMeasurement, type AcceptRound } from './accept.ts';
import type { EventMeasurement } from './events.ts';
import type { FlightMeasurement, LatencySpreads } from './flight.ts';
import type { EndLatency } from './latency.ts';
import type { CoresUsed } from './process-load.ts';
import { goals, summariseAccept, type BuildMeasurements } from './summary.ts';

type Report = { title: string; lines: string[]; tables: Table[] };

const MIBIBYTE = 2 ** 20;
const whole = (number: number) => number.toLocaleString('en-US', { maximumFractionDigits: 0 });
const seconds = (ms: number) => (ms / 1_000).toFixed(1);

/** All that was measured, for people. */
export function buildsReport(measured: BuildMeasurements): Report {
  const { accept, flight, events } = measured;
  const parts = [
    goalsReport(measured),
    ...(accept ? [acceptReport(accept)] : []),
    ...(flight ? [flightReport(flight)] : []),
    ...(events ? [eventsReport(events)] : []),
  ];
  return {
    title: 'Builds: accepting them, and thousands of them in flight',
    lines: parts.flatMap(({ lines }) => lines),
    tables: parts.flatMap(({ tables }) => tables),
  };
}

type Part = { lines: string[]; tables: Table[] };

function goalsReport(measured: BuildMeasurements): Part {
  const all = goals(measured);
  const figure = (value: number) =>
    Number.isInteger(value) ? value.toLocaleString('en-US') : value.toFixed(2);
  return {
    lines: [],
    tables: [
      {
        head: ['goal', 'measured', 'limit', ''],
        rows: all.map(({ what, value, limit, isMet }) => [
          what,
          figure(value),
          figure(limit),
          isMet ? 'met' : 'missed',
        ]),
      },
    ],
  };
}

function acceptReport(accept: AcceptMeasurement): Part {
  const { perRound, inputBytes, rounds } = accept;
  const { rawPerSecond, acceptedPerSecond, startedPerSecond, acceptedRatio, startedRatio } =
    summariseAccept(accept);
  const of = (value: (round: AcceptRound) => number) => median(rounds.map(value));
  const cpu = (round: AcceptRound, part: string, of: 'raw' | 'airline') => {
    const cores = of === 'raw' ? round.raw.cores : round.cores;
    const perSecond = of === 'raw' ? round.raw.perSecond : round.startedPerSecond;
    return ((cores[part] ?? 0) / perSecond) * 1_000;
  };
  const parts = Object.keys(rounds[0]?.cores ?? {});
  return {
    lines: [
      `**Accepting.** ${CONNECTIONS} connections POST build_source, ${CONNECTIONS} connections of Temporal's own client start workflows of the same type with the same input (${inputBytes} bytes as JSON) and nothing else, on the same server and namespace, ${perRound} each in every one of ${rounds.length} rounds, either first in turn. No worker runs. A POST writes a row; the dispatcher in the API's process starts the workflow after that: a build counts as started when its row says so, and at the end Temporal is asked whether it has as many. Medians of the rounds; a ratio is the median of the rounds' own.`,
      'The layers are measured in a process of their own, on a database of their own: the dispatcher with a Temporal that takes no time, the starts alone at as many at a time as a dispatcher makes, and both, with all rows there from the beginning.',
    ],
    tables: [
      {
        head: ['', 'a second', 'as a share of raw', 'p50, ms', 'p99, ms'],
        rows: [
          ['raw starts', whole(rawPerSecond), '1', ...latencies(({ raw }) => raw)],
          [
            'POSTs answered 202',
            whole(acceptedPerSecond),
            acceptedRatio.toFixed(2),
            ...latencies(({ accepted }) => accepted),
          ],
          ['posted until started', whole(startedPerSecond), startedRatio.toFixed(2), '', ''],
          layer('layer: rows found, locked and marked', (round) => round.layers.rowsPerSecond),
          layer(
            'layer: starts with all that the API says',
            (round) => round.layers.startsPerSecond,
          ),
          layer('layer: dispatcher on a backlog', (round) => round.layers.backlogPerSecond),
        ],
      },
      {
        head: ['processor time for a build, ms', ...parts],
        rows: [
          ['raw', ...parts.map((part) => of((round) => cpu(round, part, 'raw')).toFixed(1))],
          [
            'Airline, until started',
            ...parts.map((part) => of((round) => cpu(round, part, 'airline')).toFixed(1)),
          ],
        ],
      },
      {
        head: ['round', 'raw/s', 'POST/s', 'started/s', 'backlog after the last POST'],
        rows: rounds.map((round, at) => [
          String(at + 1),
          whole(round.raw.perSecond),
          whole(round.accepted.perSecond),
          whole(round.startedPerSecond),
          String(round.backlog),
        ]),
      },
    ],
  };

  function latencies(value: (round: AcceptRound) => { p50Ms: number; p99Ms: number }): string[] {
    return [
      of((round) => value(round).p50Ms).toFixed(1),
      of((round) => value(round).p99Ms).toFixed(1),
    ];
  }

  function layer(title: string, value: (round: AcceptRound) => number): string[] {
    const ratio = of((round) => value(round) / round.raw.perSecond);
    return [title, whole(of(value)), ratio.toFixed(2), '', ''];
  }
}

function flightReport(flight: FlightMeasurement): Part {
  const { builds, phases, peakBytes, outcome, lateness } = flight;
  const parts = Object.keys(phases.steady.cores);
  const dueRate = (builds / flight.pollMaxMs) * 1_000;
  const row = (name: string, phase: { tookMs: number; cores: CoresUsed }) => [
    name,
    seconds(phase.tookMs),
    ...parts.map((part) => (phase.cores[part] ?? 0).toFixed(2)),
  ];
  const verdict = [
    `${whole(outcome.completed)} of ${whole(outcome.builds)} completed`,
    outcome.failures.length === 0 ? 'no failures' : `failures: ${outcome.failures.join('; ')}`,
    `${outcome.withoutOneFinal} without exactly one final message`,
    `${outcome.outOfOrder} with a gap or a change of order`,
    `${outcome.lostMessages} messages lost, ${outcome.unpublished} not published yet`,
    `an activity took ${flight.maxAttempts} tries at most${flight.retryReasons.length > 0 ? ` (${flight.retryReasons.join('; ')})` : ''}`,
  ].join(', ');
  return {
    lines: [
      `**In flight.** ${whole(builds)} builds at once with one worker and one API, each an upload of its own: a few signed sources go into many PPAs, which hold them in "Currently building" until they are released. A look comes after ${seconds(flight.pollInitialMs)} s first, and every ${seconds(flight.pollMaxMs)} s at last (AIRLINE_POLL_INITIAL_MS, AIRLINE_POLL_MAX_MS), so ${dueRate.toFixed(1)} looks a second are due; ${flight.looksPerSecond.toFixed(1)} a second came. In the steady phase, a look was answered ${seconds(lateness.p50Ms)} s (p50), ${seconds(lateness.p99Ms)} s (p99) and ${seconds(lateness.maxMs)} s at most after it was due.`,
      `Requested in ${seconds(flight.requestedMs)} s. Result: ${verdict}. A build had ${flight.looksOfABuild} looks and ${flight.eventsOfABuild} history events (medians).`,
      '**Latency** is from when the look was due that saw the end of the build to the final message at an AMQP consumer. Its parts: how late the timer fired, the look, the collection of the log, the final message.',
    ],
    tables: [
      {
        head: ['cores in use', 's', ...parts],
        rows: [
          row('until all were in flight', phases.ramp),
          row('all in flight', phases.steady),
          row('from their release to the last final message', phases.drain),
        ],
      },
      {
        head: ['most memory, MiB', ...Object.keys(peakBytes)],
        rows: [
          [
            'from the first request to the last message',
            ...Object.values(peakBytes).map((bytes) => whole(bytes / MIBIBYTE)),
          ],
        ],
      },
      latencyTable(flight),
    ],
  };
}

function latencyTable({ latencies, builds }: FlightMeasurement): Table {
  const { few, many, drain } = latencies;
  const columns: [string, LatencySpreads][] = [
    ...(few ? [[`${few.inFlight} in flight`, few] as [string, LatencySpreads]] : []),
    [`${whole(builds)} in flight`, many],
    ['all that end at once', drain],
  ];
  const row = (name: string, of: keyof EndLatency) => [
    name,
    ...columns.flatMap(([, spreads]) => [
      (spreads[of].p50Ms / 1_000).toFixed(2),
      (spreads[of].p99Ms / 1_000).toFixed(2),
    ]),
  ];
  return {
    head: [
      'latency, s',
      ...columns.flatMap(([name, { fromDueMs }]) => [`${name}, p50 of ${fromDueMs.count}`, 'p99']),
    ],
    rows: [
      row('from the due look', 'fromDueMs'),
      row('from the fired timer', 'fromFiredMs'),
      row('part: timer late', 'timerLateMs'),
      row('part: look', 'lookMs'),
      row('part: log', 'logsMs'),
      row('part: final message', 'messageMs'),
    ],
  };
}

function eventsReport({ measured, costs, ofOneMinute, ofTenMinutes }: EventMeasurement): Part {
  return {
    lines: [
      `**History events**, with the intervals for Launchpad: a build of one minute has ${ofOneMinute.events} (${ofOneMinute.looks} looks), one of ten minutes ${ofTenMinutes.events} (${ofTenMinutes.looks} looks, by the schedule). A look costs ${costs.perLook}, all the rest ${costs.base}; the measured builds are all on that line.`,
    ],
    tables: [
      {
        head: ['build of', 'looks by the schedule', 'looks', 'events'],
        rows: measured.map(({ buildMs, forecastLooks, looks, events }) => [
          `${buildMs / 1_000} s`,
          String(forecastLooks),
          String(looks),
          String(events),
        ]),
      },
    ],
  };
}
