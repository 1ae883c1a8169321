import { Icon } from '../components/icon.tsx';
import { PageHeading } from '../components/page-heading.tsx';

/** In the place of any page while nothing answers at all. It goes away by itself. */
export function AwayPage() {
  return (
    <div class="away-page">
      <Icon name="warning" size={32} />
      <PageHeading title="Airline does not answer" />
      <p>
        The page is here, but the API behind it, or its database, is not. This page tries again
        every few seconds and shows what you asked for as soon as it can.
      </p>
      <p>
        If it stays so: is the network there? <code>curl {location.origin}/readyz</code> says which
        part is missing. Where that does not answer either, the log of the api says why.
      </p>
      <button type="button" class="button button-main" onClick={() => location.reload()}>
        Try again now
      </button>
    </div>
  );
}
