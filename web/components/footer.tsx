import { TIME_ZONE } from '../format.ts';
import type { About } from '../server/api-types.ts';
import { may } from '../server/session.ts';
import { useResource } from '../server/use-resource.ts';
import { pagesLinkedAt } from '../site-map.ts';
import { ExternalLink } from './external-link.tsx';

/** Where else one can go, what runs here, and which clock the pages have. */
export function Footer() {
  const { data } = useResource<About>(may('read') ? '/api/v1/about/' : null);
  return (
    <footer class="footer">
      <nav aria-label="More">
        {pagesLinkedAt('end')
          .filter(({ needs }) => needs === undefined || may(needs))
          .map(({ path, word }) => (
            <a key={path} href={path}>
              {word}
            </a>
          ))}
        <a href="/docs/" target="_top">
          API
        </a>
        {data?.temporal_ui && <ExternalLink to={data.temporal_ui}>Temporal</ExternalLink>}
      </nav>
      <p class="muted">
        Airline {data?.version ?? ''} · times are those of {TIME_ZONE}
      </p>
    </footer>
  );
}
