import { fileNameOfUrl } from '../../domain/source-file.ts';
import { Ago } from '../components/relative-time.tsx';
import { ExternalLink } from '../components/external-link.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { counted, exactTime } from '../format.ts';
import type { Attempt, Build } from '../server/api-types.ts';
import { buildLabel } from '../states.ts';

/** What was requested, who requested it, and how each attempt ended. */
export function RequestDetails({
  build,
  attempts,
}: {
  build: Build;
  attempts: readonly Attempt[];
}) {
  return (
    <div class="card facts">
      <dl>
        <Detail name="PPA">{build.ppa}</Detail>
        <Detail name="Series">
          {build.series} ({build.archive})
        </Detail>
        <Detail name="Requested">
          <Ago at={build.requested_at} /> by {build.requested_by ?? 'somebody'}
        </Detail>
        {build.progress_trigger !== null && <Detail name="Queue">{build.progress_trigger}</Detail>}
        {build.webhook_id !== null && <Detail name="Webhook">{build.webhook_id}</Detail>}
        <Detail name="Cancelled">
          {build.cancel_requested_at === null ? (
            'no'
          ) : (
            <span class="cut" title={build.cancel_requested_by ?? ''}>
              <Ago at={build.cancel_requested_at} /> by {build.cancel_requested_by ?? 'the caller'}
            </span>
          )}
        </Detail>
        {build.apt !== null && <Detail name="For apt">{build.apt}</Detail>}
      </dl>
      {build.built_packages.length > 0 && (
        <details>
          <summary>{counted(build.built_packages.length, 'built package')}</summary>
          <ul class="sources">
            {build.built_packages.map(({ name, version, architecture, url }) => (
              <li key={`${name} ${version} ${architecture}`}>
                <ExternalLink to={url ?? ''}>{`${name} ${version} (${architecture})`}</ExternalLink>
              </li>
            ))}
          </ul>
        </details>
      )}
      {build.sequence.length > 0 && (
        <details open={build.sequence.some(({ state }) => state !== 'uploaded')}>
          <summary>{counted(build.sequence.length, 'package')} in order</summary>
          <ul class="sources">
            {build.sequence.map((one) => (
              <li key={`${one.package} ${one.version}`}>
                {one.package} {one.version}: {placeText(one)}
              </li>
            ))}
          </ul>
        </details>
      )}
      <details>
        <summary>{counted(build.source_packages.length, 'source file')}</summary>
        <ul class="sources">
          {build.source_packages.map((url) => (
            <li key={url}>
              <ExternalLink to={url}>{fileNameOfUrl(url)}</ExternalLink>
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
                <StateBadge label={buildLabel(attempt)} isPlain />
                <span>
                  attempt {attempt.attempt}, {exactTime(attempt.requested_at)}
                  {attempt.requested_by !== null && ` by ${attempt.requested_by}`}
                </span>
                {attempt.failure && <span class="muted">{attempt.failure.message}</span>}
                {attempt.workflow_url !== null && (
                  <ExternalLink to={attempt.workflow_url}>
                    {`Workflow of attempt ${attempt.attempt}`}
                  </ExternalLink>
                )}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

function Detail({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="breakable">{children}</dd>
    </div>
  );
}

/** Where a package of a build with an order is. */
function placeText({ state, after, reason }: Build['sequence'][number]): string {
  switch (state) {
    case 'waiting':
      return `waits for ${after.join(', ')}`;
    case 'not_built':
      return `not built: ${reason ?? ''}`;
    case 'uploaded':
      return after.length > 0 ? `uploaded after ${after.join(', ')}` : 'uploaded';
  }
}
