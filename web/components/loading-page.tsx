import type { RequestError } from '../server/request.ts';
import { ErrorNote, Skeleton } from './notes.tsx';
import { PageHeading } from './page-heading.tsx';

/** The page of one thing while it is loaded, or cannot be: its heading stands where it will. */
export function LoadingPage({
  list,
  title,
  error,
  retry,
}: {
  /** The list that has it: its address, and its word. */
  list: readonly [to: string, word: string];
  title: string;
  error: RequestError | undefined;
  retry: () => void;
}) {
  const [to, word] = list;
  return (
    <>
      <p class="crumbs">
        <a href={to}>{word}</a> / <span class="breakable">{title}</span>
      </p>
      <div class="page-head">
        <PageHeading title={title} />
      </div>
      {error ? <ErrorNote error={error} retry={retry} /> : <Skeleton lines={12} />}
    </>
  );
}
