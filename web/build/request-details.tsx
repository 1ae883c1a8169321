import { withoutRequests } from '../../domain/access/requester.ts';
import { mergeText } from '../../domain/builds/merge-text.ts';
import { fileNameOfUrl } from '../../domain/packages/source-file.ts';
import { Ago } from '../components/relative-time.tsx';
import { ExternalLink } from '../components/external-link.tsx';
import { counted } from '../format.ts';
import type { Build } from '../server/api-types.ts';

/** What was requested, and who requested it. */
export function RequestDetails({ build }: { build: Build }) {
  return (
    <div class="card facts">
      <dl>
        <Detail name="PPA">{build.ppa}</Detail>
        <Detail name="Series">
          {build.series} ({build.archive})
        </Detail>
        {build.merge && (
          <Detail name="Merges">{mergeText(build.merge, build.merge.commits)}</Detail>
        )}
        <Detail name="Requested">
          <Ago at={build.requested_at} /> by {build.requested_by ?? 'somebody'}
        </Detail>
        {build.retry_architectures !== null && (
          <Detail name="Retried alone">{build.retry_architectures.join(', ')}</Detail>
        )}
        {build.progress_trigger !== null && <Detail name="Queue">{build.progress_trigger}</Detail>}
        {build.webhook_id !== null && <Detail name="Webhook">{build.webhook_id}</Detail>}
        <Detail name="Cancelled">
          {build.cancel_requested_at === null ? (
            'no'
          ) : (
            <span class="cut" title={build.cancel_requested_by ?? ''}>
              <Ago at={build.cancel_requested_at} /> by{' '}
              {withoutRequests(build.cancel_requested_by ?? 'the caller')}
            </span>
          )}
        </Detail>
      </dl>
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
