import { withoutRequests } from '../../domain/access/requester.ts';
import { mergeText } from '../../domain/builds/merge-text.ts';
import { fileNameOfUrl } from '../../domain/packages/source-file.ts';
import { Ago } from '../components/relative-time.tsx';
import { ExternalLink } from '../components/external-link.tsx';
import { Fact } from '../components/fact.tsx';
import { counted } from '../format.ts';
import type { Build } from '../server/api-types.ts';

/** What was requested, and who requested it. */
export function RequestDetails({ build }: { build: Build }) {
  return (
    <div class="card facts">
      <dl>
        <Fact name="PPA">{build.ppa}</Fact>
        <Fact name="Series">
          {build.series} ({build.archive})
        </Fact>
        {build.merge && <Fact name="Merges">{mergeText(build.merge, build.merge.commits)}</Fact>}
        <Fact name="Requested">
          <Ago at={build.requested_at} /> by {build.requested_by ?? 'somebody'}
        </Fact>
        {build.retry_architectures !== null && (
          <Fact name="Retried alone">{build.retry_architectures.join(', ')}</Fact>
        )}
        {build.progress_trigger !== null && <Fact name="Queue">{build.progress_trigger}</Fact>}
        {build.webhook_id !== null && <Fact name="Webhook">{build.webhook_id}</Fact>}
        <Fact name="Cancelled">
          {build.cancel_requested_at === null ? (
            'no'
          ) : (
            <span class="cut" title={build.cancel_requested_by ?? ''}>
              <Ago at={build.cancel_requested_at} /> by{' '}
              {withoutRequests(build.cancel_requested_by ?? 'the caller')}
            </span>
          )}
        </Fact>
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
