import { createParser } from 'eventsource-parser';
import type { ProgressMessage } from '../../api/openapi/contract.generated.ts';
import { CommandError } from '../command-error.ts';
import { EXIT } from '../exit-code.ts';
import type { CommandContext } from '../command-context.ts';
import type { Page } from '../server/api-client.ts';
import { createConnectionMonitor, isConnectionLoss } from '../server/connection-loss.ts';

/** A connection that brings nothing for this long, not even a heartbeat, counts as dead. */
const SILENT_MS = 60_000;
/** After this many faults without a new event, the stream is given up. */
const MAX_FAULTS = 4;
/** Once the final event is here, a server that has gone is not waited for. */
const TRIES_AFTER_THE_END = 2;
const PAUSE_AFTER_THE_END_MS = 500;

/** The connection ended, or is of no use any more. */
class ConnectionEnded extends Error {}

/** What came is not what comes after the last event. */
class InvalidEvent extends ConnectionEnded {}

/**
 * The events of a build from the one after `after`, as they come, until the latest attempt has ended: each once and in
 * order, over as many connections as it takes. Those that were removed for their age are passed over. Every return asks
 * for what follows the last event that was given. A notice tells when a connection is lost, and when another goes on;
 * the server's usual end of a long stream is no loss.
 *
 * @param options.signal ends it; its reason is thrown
 * @throws CommandError `unreachable` after an outage that did not pass; what the API refuses, and `not_airline`, at
 * once
 */
export async function* followEvents(
  context: CommandContext,
  options: { buildId: number; after: number; signal: AbortSignal },
): AsyncGenerator<ProgressMessage, void, void> {
  const { api, environment } = context;
  const { buildId, signal } = options;
  const path = `/api/v1/build/${buildId}/events/`;
  let seq = options.after;
  let faults = 0;
  let hasEnded = false;
  let triesAfterTheEnd = 0;
  const monitor = createConnectionMonitor(context, { place: () => `event ${seq}` });
  for (;;) {
    const openedMs = environment.now().getTime();
    const connection = new AbortController();
    const silence = setTimeout(
      () => connection.abort(new ConnectionEnded(`nothing came for ${SILENT_MS / 1_000} s`)),
      SILENT_MS,
    );
    try {
      const { isNothing, bytes } = await api.stream(path, {
        type: 'text/event-stream',
        headers: { 'last-event-id': `${seq}` },
        signal: AbortSignal.any([signal, connection.signal]),
        maxTries: 1,
      });
      if (isNothing) return;
      const heard = { anything: () => silence.refresh(), comment: monitor.restored };
      for await (const event of readEvents(bytes, heard)) {
        if (event.seq <= seq) continue;
        // Old events are removed for good (AIRLINE_KEEP_EVENTS_MS): the list tells whether the missing ones are there.
        if (event.seq > seq + 1 && (await nextInList(seq, connection.signal)) !== event.seq)
          throw new InvalidEvent(`event ${seq + 1} is missing`);
        monitor.restored();
        seq = event.seq;
        faults = 0;
        hasEnded = event.exit === true;
        triesAfterTheEnd = 0;
        yield event;
      }
      // The server ends each stream after a while, and is there for the next one.
      if (!hasEnded && environment.now().getTime() - openedMs > SILENT_MS) continue;
      // It ends one after the last event, and when it stops itself, too: the answer to the next call tells.
      if (!hasEnded || triesAfterTheEnd > 0) throw new ConnectionEnded('the server ended it');
      triesAfterTheEnd += 1;
    } catch (error) {
      if (!(error instanceof ConnectionEnded) && !isConnectionLoss(api, error)) throw error;
      if (error instanceof InvalidEvent) faults += 1;
      if (hasEnded) triesAfterTheEnd += 1;
      if (triesAfterTheEnd > TRIES_AFTER_THE_END) return;
      const pauseMs = hasEnded ? PAUSE_AFTER_THE_END_MS : monitor.lost(error);
      if (pauseMs === undefined || faults >= MAX_FAULTS)
        throw error instanceof ConnectionEnded ? givenUp(error) : error;
      // What ends the pause ends the next request, too.
      await environment
        .sleep(pauseMs, AbortSignal.any([signal, environment.interruption]))
        .catch(() => undefined);
    } finally {
      clearTimeout(silence);
    }
  }

  async function nextInList(after: number, connection: AbortSignal): Promise<number | undefined> {
    const { objects } = await api.get<Page<ProgressMessage>>(
      path,
      { after, limit: 1 },
      { signal: AbortSignal.any([signal, connection]), maxTries: 1 },
    );
    return objects[0]?.seq;
  }
}

/** The events of a stream as they come. */
async function* readEvents(
  bytes: AsyncIterable<Uint8Array>,
  heard: { anything: () => void; comment: () => void },
): AsyncGenerator<ProgressMessage> {
  const decoder = new TextDecoder();
  let events: string[] = [];
  const parser = createParser({
    onEvent: ({ data }) => {
      events.push(data);
    },
    onComment: heard.comment,
  });
  for await (const part of bytes) {
    heard.anything();
    parser.feed(decoder.decode(part, { stream: true }));
    const come = events;
    events = [];
    for (const data of come) yield parseEvent(data);
  }
}

function parseEvent(data: string): ProgressMessage {
  let event: ProgressMessage | null;
  try {
    event = JSON.parse(data) as ProgressMessage | null;
  } catch (cause) {
    throw new InvalidEvent('an event is not JSON', { cause });
  }
  if (event !== null && Number.isInteger(event.seq)) return event;
  throw new InvalidEvent('an event has no number');
}

function givenUp(cause: ConnectionEnded): CommandError {
  return new CommandError(`The events cannot be followed: ${cause.message}.`, {
    code: 'unreachable',
    exit: EXIT.unreachable,
    hint: 'Is Airline running? Run the same command again to see every event from the first.',
    cause,
  });
}
