import { Ago } from '../components/moment.tsx';
import { OutwardLink } from '../components/outward-link.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { counted, exactTime } from '../format.ts';
import type { Attempt, Build } from '../server/shapes.ts';
import { showBuild } from '../states.ts';

/** What was asked for, by whom, and what became of each attempt. */
export function Facts({ build, attempts }: { build: Build; attempts: readonly Attempt[] }) {
  return (
    <div class="card facts">
      <dl>
        <Fact name="PPA">{build.ppa}</Fact>
        <Fact name="Series">
          {build.series} ({build.archive})
        </Fact>
        <Fact name="Requested">
          <Ago at={build.requested_at} /> by {build.requested_by ?? 'somebody'}
        </Fact>
        <Fact name="Queue">{build.progress_trigger}</Fact>
        <Fact name="Cancelled">
          {build.cancel_requested_at === null ? (
            'no'
          ) : (
            <span class="cut" title={build.cancel_requested_by ?? ''}>
              <Ago at={build.cancel_requested_at} /> by {build.cancel_requested_by ?? 'the caller'}
            </span>
          )}
        </Fact>
      </dl>
      <details>
        <summary>{counted(build.source_packages.length, 'source file')}</summary>
        <ul class="sources">
          {build.source_packages.map((url) => (
            <li key={url}>
              <OutwardLink to={url}>{url.replace(/^.*\//, '')}</OutwardLink>
            </li>
          ))}
        </ul>
      </details>
      {attempts.length > 1 && (
        <details>
          <summary>{counted(attempts.length, 'attempt')}</summary>
          <ol class="attempts">
            {attempts.map((attempt) => (
              <li key={attempt.attempt}>
                <StateMark shown={showBuild(attempt as Attempt & Build)} isPlain />
                <span>
                  attempt {attempt.attempt}, {exactTime(attempt.requested_at)}
                  {attempt.requested_by !== null && ` by ${attempt.requested_by}`}
                </span>
                {attempt.failure && <span class="muted">{attempt.failure.message}</span>}
                {attempt.workflow_url !== null && (
                  <OutwardLink to={attempt.workflow_url}>
                    {`Workflow of attempt ${attempt.attempt}`}
                  </OutwardLink>
                )}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="breakable">{children}</dd>
    </div>
  );
}
