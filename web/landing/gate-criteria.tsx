import type { ComponentChildren } from 'preact';
import { buildAddress, isOwnPage } from '../addresses.ts';
import { ErrorNote, Skeleton } from '../components/notes.tsx';
import { ExternalLink } from '../components/external-link.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { useStableHeight } from '../components/use-stable-height.ts';
import { withLocalTimes } from '../format.ts';
import type { Gate } from '../server/api-types.ts';
import { idOfUri } from '../server/resource-uri.ts';
import type { Resource } from '../server/use-resource.ts';
import { criterionLabel, gateLabel } from './labels.ts';

const NAMES: Readonly<Record<string, string>> = { ppa: 'PPA' };

/** What a landing has to fulfil before it is published, a line for each: what stops it comes first. */
export function GateCriteria({ gate: { data, error, reload } }: { gate: Resource<Gate> }) {
  return (
    <section aria-labelledby="gate">
      <div class="section-head">
        <h2 id="gate">Criteria</h2>
        {data && <StateBadge isPlain label={gateLabel(data.verdict)} />}
      </div>
      {error && <ErrorNote what="The criteria" error={error} retry={reload} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && <Criteria criteria={data.criteria} />}
    </section>
  );
}

function Criteria({ criteria }: Pick<Gate, 'criteria'>) {
  const list = useStableHeight<HTMLOListElement>(JSON.stringify(criteria));
  return (
    <ol ref={list} class="card criteria" aria-label="Criteria" tabIndex={0}>
      {criteria.map((criterion, at) => (
        // By its place, not by its name: the lines stay where they are, and what they say changes.
        <li key={at}>
          <StateBadge isPlain label={criterionLabel(criterion.state)} />
          <span class="criterion-name">{NAMES[criterion.name] ?? criterion.name}</span>
          <span class="criterion-why breakable">{withLocalTimes(criterion.why)}</span>
          <span>{criterion.link && <More to={criterion.link} />}</span>
        </li>
      ))}
    </ol>
  );
}

/** A criterion leads to a resource of the API: here to the page, or the part of this page, that shows it. */
function More({ to }: { to: string }): ComponentChildren {
  if (to.startsWith('/api/v1/build/'))
    return <a href={buildAddress(idOfUri(to))}>Build {idOfUri(to)}</a>;
  if (to.startsWith('/api/v1/testrun/')) return <a href="#tests">Tests</a>;
  if (isOwnPage(to)) return null;
  return <ExternalLink to={to}>More</ExternalLink>;
}
