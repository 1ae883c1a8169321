import { useEffect, useState } from 'preact/hooks';
import { durationText } from '../../domain/text/quantity-text.ts';
import { RequestError, sessionOver } from '../server/request.ts';
import { noteRefusal } from '../server/session.ts';
import { LogText } from './log-text.ts';

const IDLE_MS = 30_000;
/** Why a load is given up, where the page itself gives it up. */
const IDLE = 'nothing came';
/** The most that a browser shows of a log; the download has all of it. */
const MAX_BYTES = 64_000_000;
const RETRY_HINT = 'Try again, or download it.';

export type LoadedLog = {
  text: LogText | undefined;
  bytes: number;
  isCut: boolean;
  error: RequestError | undefined;
};

const NOTHING: LoadedLog = { text: undefined, bytes: 0, isCut: false, error: undefined };

/** Loads a log, and says how much has come. It fails if nothing comes for 30 s; `reload` tries again. */
export function useLog(path: string | undefined): LoadedLog & { reload: () => void } {
  const [log, setLog] = useState<LoadedLog>(NOTHING);
  const [reloads, setReloads] = useState(0);
  useEffect(() => {
    setLog(NOTHING);
    if (path === undefined) return undefined;
    const gone = new AbortController();
    readLog(path, gone, (bytes) => setLog({ ...NOTHING, bytes })).then(setLog, (error: unknown) => {
      const isIdle = gone.signal.reason === IDLE;
      if (gone.signal.aborted && !isIdle) return;
      setLog({ ...NOTHING, error: logFault(error, isIdle) });
    });
    return () => gone.abort();
  }, [path, reloads]);
  return { ...log, reload: () => setReloads((before) => before + 1) };
}

async function readLog(
  path: string,
  gone: AbortController,
  onBytes: (bytes: number) => void,
): Promise<LoadedLog> {
  const patience = () => setTimeout(() => gone.abort(IDLE), IDLE_MS);
  let timer = patience();
  try {
    const response = await fetch(path, { signal: gone.signal });
    if (response.status === 401 && noteRefusal()) throw sessionOver();
    if (!response.ok || !response.body) throw refused(response);
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const chunks: string[] = [];
    let bytes = 0;
    let reportedAtMs = 0;
    for (;;) {
      const { done, value } = await reader.read();
      clearTimeout(timer);
      timer = patience();
      if (done) break;
      bytes += value.length;
      chunks.push(decoder.decode(value, { stream: true }));
      if (bytes >= MAX_BYTES) {
        await reader.cancel();
        break;
      }
      if (performance.now() - reportedAtMs > 100) {
        reportedAtMs = performance.now();
        onBytes(bytes);
      }
    }
    chunks.push(decoder.decode());
    const text = new LogText(chunks.join(''));
    return { text, bytes, isCut: bytes >= MAX_BYTES, error: undefined };
  } finally {
    clearTimeout(timer);
  }
}

function refused({ status, statusText }: Response): RequestError {
  const isGone = status === 404;
  return new RequestError({
    status,
    code: 'log_unavailable',
    message: isGone
      ? 'The data store has no such log.'
      : `The log was refused: ${status} ${statusText}.`,
    hint: isGone ? 'It may have been removed from the data store.' : RETRY_HINT,
  });
}

/** @param isIdle whether nothing came for so long that the page has given up */
function logFault(error: unknown, isIdle: boolean): RequestError {
  if (error instanceof RequestError) return error;
  return new RequestError({
    status: 0,
    code: 'log_unavailable',
    message: `The log could not be loaded: ${
      isIdle ? `nothing came for ${durationText(IDLE_MS)}` : 'the connection was cut'
    }.`,
    hint: RETRY_HINT,
  });
}
