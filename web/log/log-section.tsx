import { useLocation } from 'preact-iso/router';
import { Empty } from '../components/notes.tsx';
import type { Build } from '../server/api-types.ts';
import { failureLogPlace, logAddress, logPlace } from './log-address.ts';
import { LogPane } from './log-pane.tsx';

/** The logs of a build, one of them open: the one that the address names, else the one that it failed in. */
export function LogSection({ build }: { build: Build }) {
  const { query } = useLocation();
  const places = build.logs.map(logPlace);
  const open = places.find(({ name }) => name === query['log']) ?? failureLogPlace(build);
  const failedIn = failureLogPlace(build);
  const markedLine = open && failedIn?.name === open.name ? build.failure?.line : undefined;

  return (
    <section aria-labelledby="log" class="log-section">
      <h2 id="log">Log</h2>
      {open === undefined ? (
        <div class="log-frame log-none">
          <Empty
            icon="queued"
            title={build.finished_at === null ? 'The log is not here yet.' : 'There is no log.'}
          >
            <p>
              {build.finished_at === null
                ? 'Logs are collected when the PPA has ended its builds. Follow in the terminal, too:'
                : 'It ended before anything was built.'}
            </p>
            {build.finished_at === null && (
              <pre class="command">airline build watch {build.id}</pre>
            )}
          </Empty>
        </div>
      ) : (
        <div class="log-frame">
          {places.length > 1 && (
            <nav class="log-tabs" aria-label="Logs">
              {places.map(({ name }) => (
                <a
                  key={name}
                  href={logAddress(build.id, name)}
                  aria-current={name === open.name ? 'true' : undefined}
                >
                  {shortName(name)}
                </a>
              ))}
            </nav>
          )}
          <LogPane
            place={open}
            markedLine={markedLine}
            addressOf={(line) => logAddress(build.id, open.name, line)}
          />
        </div>
      )}
    </section>
  );
}

/** `hello on amd64` for `hello_2.10-3_amd64.build.log`. */
function shortName(name: string): string {
  const parts = /^([^_]+)_.+_([^_.]+)\.(build|upload)\.log$/.exec(name);
  if (!parts) return name;
  const [, source, architecture, kind] = parts;
  return `${source} on ${architecture}${kind === 'upload' ? ' (upload)' : ''}`;
}
