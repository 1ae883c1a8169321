import { PageHeading } from '../components/page-heading.tsx';
import { Empty } from '../components/notes.tsx';

/** The page for an address that is not ours, or that names something that does not exist. */
export function NotFoundPage({ what = 'There is no such page' }: { what?: string }) {
  return (
    <>
      <div class="page-head">
        <PageHeading title={what} />
      </div>
      <Empty icon="unknown" title="Nothing is at this address.">
        <p>
          Check the address, or begin at the <a href="/">front page</a>. The search (<kbd>/</kbd>)
          finds tickets, builds, packages and more.
        </p>
      </Empty>
    </>
  );
}
