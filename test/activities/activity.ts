import { MockActivityEnvironment } from '@temporalio/testing';
import type { Info } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { DefaultLogger, type ActivityInterceptorsFactory } from '@temporalio/worker';
import { pino, type Logger } from 'pino';
import type { AirlineError } from '../../domain/errors.ts';

/** Runs an activity in a context of its own, with what the worker would tell it. */
export async function runActivity<I, R>(
  activity: (input: I) => Promise<R>,
  input: I,
  {
    info = {},
    onHeartbeat = () => {},
    onConfirm = async () => {},
    prepare = () => {},
    interceptors = [],
  }: {
    info?: Partial<Info>;
    onHeartbeat?: (details: unknown) => void;
    /** Temporal's answer to a heartbeat that waits for it. */
    onConfirm?: (details: unknown) => Promise<void>;
    prepare?: (environment: MockActivityEnvironment) => void;
    interceptors?: ActivityInterceptorsFactory[];
  } = {},
): Promise<R> {
  const environment = new MockActivityEnvironment(
    { attempt: 1, heartbeatTimeoutMs: 200, ...info },
    // The SDK logs every activity that fails, which many are meant to.
    { logger: new DefaultLogger('ERROR'), client: clientThatConfirms(onConfirm), interceptors },
  );
  environment.on('heartbeat', onHeartbeat);
  prepare(environment);
  return environment.run(activity, input);
}

function clientThatConfirms(onConfirm: (details: unknown) => Promise<void>): Client {
  const client = {
    withAbortSignal: <R>(_signal: AbortSignal, act: () => Promise<R>) => act(),
    withDeadline: <R>(_deadline: number, act: () => Promise<R>) => act(),
    activity: {
      heartbeat: (_taskToken: Uint8Array, details: unknown) => onConfirm(structuredClone(details)),
    },
  };
  return client as unknown as Client;
}

/** The code of the catalogue's error that an activity ends with; any other outcome is an error of the test. */
export async function codeOf(outcome: Promise<unknown>): Promise<string> {
  const error = await outcome.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason as Error,
  );
  if (error.name !== 'AirlineError') throw error;
  return (error as AirlineError).code;
}

export type LogLine = { level: number; msg: string } & Record<string, unknown>;

/** A logger that keeps its lines. */
export function keepLog(): { logger: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const logger = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) });
  return { logger, lines };
}
