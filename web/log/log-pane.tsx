import { sizeText } from '../../domain/text/quantity-text.ts';
import { Empty, ErrorNote } from '../components/notes.tsx';
import { ExternalLink } from '../components/external-link.tsx';
import type { LineRange, LogPlace } from './log-address.ts';
import { LogViewer } from './log-viewer.tsx';
import { useLog } from './use-log.ts';

/**
 * One log, once it is loaded; why it is not here, where it is not.
 *
 * @param markedLine the line that says why it failed
 * @param addressOf the address of lines
 */
export function LogPane({
  place: { name, path, url },
  markedLine,
  addressOf,
}: {
  place: LogPlace;
  markedLine: number | undefined;
  addressOf: (lines: LineRange) => string;
}) {
  const log = useLog(path);
  if (path === undefined)
    return (
      <Empty icon="outward" title="This log is kept elsewhere.">
        <p>
          <ExternalLink to={url}>{name}</ExternalLink>
        </p>
      </Empty>
    );
  if (log.error)
    return (
      <ErrorNote error={log.error} retry={log.reload}>
        {log.error.status !== 404 && (
          <a class="button" href={path} download={name}>
            Download
          </a>
        )}
      </ErrorNote>
    );
  if (!log.text)
    return (
      <p class="log-loading" role="status">
        Loading the log… <span class="figure">{log.bytes > 0 && sizeText(log.bytes)}</span>
      </p>
    );
  return (
    <LogViewer
      key={name}
      text={log.text}
      name={name}
      path={path}
      isCut={log.isCut}
      markedLine={markedLine}
      addressOf={addressOf}
    />
  );
}
