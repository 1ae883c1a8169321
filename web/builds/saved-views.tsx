import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { FormDialog } from '../components/dialog.tsx';
import { formText } from '../components/form-text.ts';
import { Icon } from '../components/icon.tsx';
import { TextField } from '../components/text-field.tsx';
import { RequestError } from '../server/request.ts';
import { ownAddress } from '../server/session.ts';
import { readStored, store } from '../storage.ts';
import { buildsAddress, pageQuery, type BuildsQuery } from './builds-query.ts';

const KEPT = 'views of builds';
const MAX_VIEWS = 20;

type View = { name: string; query: string };

const views = signal<readonly View[]>(readKept());
// Of another tab; without a key, all is gone.
addEventListener('storage', ({ key }) => {
  if (key === KEPT || key === null) views.value = readKept();
});

/** Views that everybody has. */
function commonViews(): readonly View[] {
  const owner = ownAddress();
  return [
    { name: 'All', query: '' },
    { name: 'Under way', query: pageQuery({ show: 'active' }) },
    { name: 'Waiting', query: pageQuery({ show: 'waiting' }) },
    { name: 'Failed in the last day', query: pageQuery({ show: 'failed', age: 'ended-1d' }) },
    ...(owner ? [{ name: 'Mine', query: pageQuery({ owner }) }] : []),
  ];
}

/** Sets of filters with a name. The browser keeps those of the reader. */
export function SavedViews({ asked }: { asked: BuildsQuery }) {
  const [isNaming, setNaming] = useState(false);
  const query = pageQuery({ ...asked, offset: 0 });
  const common = commonViews();
  const isKnown = [...common, ...views.value].some((view) => view.query === query);
  return (
    <nav class="views" aria-label="Views">
      {common.map((view) => (
        <ViewLink key={view.name} view={view} isShown={view.query === query} />
      ))}
      {views.value.map((view) => (
        <span key={view.name} class="view-own">
          <ViewLink view={view} isShown={view.query === query} />
          <button
            type="button"
            class="button button-bare button-small"
            title={`Remove the view ${view.name}`}
            onClick={() => change((kept) => kept.filter(({ name }) => name !== view.name))}
          >
            <Icon name="close" size={12} />
            <span class="visually-hidden">Remove the view {view.name}</span>
          </button>
        </span>
      ))}
      {!isKnown && (
        <button type="button" class="button button-small" onClick={() => setNaming(true)}>
          Save this view
        </button>
      )}
      {isNaming && <NameDialog query={query} onClose={() => setNaming(false)} />}
    </nav>
  );
}

function ViewLink({ view: { name, query }, isShown }: { view: View; isShown: boolean }) {
  return (
    <a
      class="view"
      href={query === '' ? buildsAddress({}) : `/builds?${query}`}
      aria-current={isShown ? 'true' : undefined}
    >
      {name}
    </a>
  );
}

function NameDialog({ query, onClose }: { query: string; onClose: () => void }) {
  const act = async (form: FormData) => {
    const name = formText(form, 'name');
    change((kept) => {
      const others = kept.filter((view) => view.name !== name);
      if (others.length >= MAX_VIEWS) throw tooManyViews();
      return [...others, { name, query }];
    });
  };
  return (
    <FormDialog title="Save this view" doIt="Save" leaveIt="Cancel" act={act} onClose={onClose}>
      <TextField label="Name" name="name" maxLength={40} />
      <p class="muted">This browser keeps it. To share it, send the address of the page.</p>
    </FormDialog>
  );
}

/**
 * Changes what the browser keeps by now, which another tab may have changed.
 *
 * @throws RequestError where the browser keeps nothing for the page
 */
function change(by: (kept: readonly View[]) => readonly View[]): void {
  const changed = by(readKept());
  if (!store(KEPT, JSON.stringify(changed))) throw nothingKept();
  views.value = changed;
}

function nothingKept(): RequestError {
  return new RequestError({
    status: 507,
    code: 'nothing_kept',
    message: 'This browser keeps nothing for this page.',
    hint: "Allow the page to store data, or make room for it. Or keep the page's address as a bookmark.",
  });
}

function tooManyViews(): RequestError {
  return new RequestError({
    status: 409,
    code: 'too_many_views',
    message: `There are ${MAX_VIEWS} views, which is the most.`,
    hint: 'Remove one first, or take the name of one, which this view replaces.',
  });
}

function readKept(): readonly View[] {
  try {
    const kept: unknown = JSON.parse(readStored(KEPT) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(kept: unknown): kept is View {
  const { name, query } = (kept ?? {}) as Partial<View>;
  return typeof name === 'string' && typeof query === 'string';
}
