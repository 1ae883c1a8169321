import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso/router';
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from './announce.ts';
import { Announcements } from './components/announcements.tsx';
import { FormDialog } from './components/dialog.tsx';
import { KeyboardHelp } from './components/keyboard-help.tsx';
import { Footer } from './components/footer.tsx';
import { Emblem, Icon } from './components/icon.tsx';
import { ThemeSwitch } from './components/theme-switch.tsx';
import { listenToKeys } from './keyboard.ts';
import { connection } from './server/changes.ts';
import { asRequestError, type RequestError } from './server/request.ts';
import { SearchBox } from './search/search-box.tsx';
import { isSessionOver, mayFollow, session } from './server/session.ts';
import { failing } from './server/use-resource.ts';
import { signOut } from './server/use-session.ts';
import { isPartOf, pagesLinkedAt } from './site-map.ts';

/** What all pages have: links to the others, the name of the visitor, and whether the page is live. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { path, route } = useLocation();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isSearchOpen, setSearchOpen] = useState(false);
  const [signOutFault, setSignOutFault] = useState<RequestError>();
  useEffect(
    () =>
      listenToKeys({
        go: route,
        help: () => setHelpOpen(true),
        search: () => setSearchOpen(true),
      }),
    [],
  );
  const isSignIn = path === '/sign-in';

  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="top">
        <div class="top-inner">
          <a class="brand" href="/">
            <Emblem />
            <span>Airline</span>
          </a>
          {!isSignIn && (
            <nav class="places" aria-label="Main">
              {pagesLinkedAt('top').map((page) => (
                <a
                  key={page.path}
                  href={page.path}
                  aria-current={isPartOf(page, path) ? 'page' : undefined}
                >
                  <Icon name={page.icon} />
                  {page.word}
                </a>
              ))}
            </nav>
          )}
          <div class="top-end">
            {!isSignIn && (
              <button
                type="button"
                class="button search-button"
                aria-keyshortcuts="Control+K /"
                onClick={() => setSearchOpen(true)}
              >
                <Icon name="search" />
                <span class="visually-hidden">Search everything</span>
                <span class="wide-only" aria-hidden="true">
                  Search
                </span>
                <kbd class="wide-only" aria-hidden="true">
                  Ctrl K
                </kbd>
              </button>
            )}
            {!isSignIn && mayFollow() && <LiveMark />}
            <button
              type="button"
              class="button button-bare wide-only"
              title="Keyboard (?)"
              onClick={() => setHelpOpen(true)}
            >
              <Icon name="help" />
              <span class="visually-hidden">Keyboard help</span>
            </button>
            <ThemeSwitch />
            <Who onFault={setSignOutFault} />
          </div>
        </div>
      </header>
      <main id="content" class="page" tabIndex={-1}>
        {children}
      </main>
      {!isSignIn && session.value !== undefined && <Footer />}
      <Announcements />
      <OfflineBanner />
      {isSearchOpen && <SearchBox go={route} onClose={() => setSearchOpen(false)} />}
      {isHelpOpen && <KeyboardHelp onClose={() => setHelpOpen(false)} />}
      {signOutFault && (
        <StillSignedIn fault={signOutFault} onClose={() => setSignOutFault(undefined)} />
      )}
    </>
  );
}

const LIVE = {
  live: { word: 'Live', title: 'Changes of tickets, builds and landings appear as they happen' },
  connecting: { word: 'Connecting', title: 'Changes appear once this is connected' },
  failing: { word: 'Errors', title: 'Something on this page could not be loaded' },
  polling: {
    word: 'Not live',
    title: 'Airline sends no changes to this page now; it is loaded again every 15 s',
  },
  lost: { word: 'Offline', title: 'Airline does not answer; this page tries again by itself' },
} as const;

/** A stream that breaks off is mostly there again before. */
const NOT_LIVE_MS = 5_000;

function LiveMark() {
  const state = connection.value === 'live' && failing.value > 0 ? 'failing' : connection.value;
  const { word, title } = LIVE[state];
  const isTold = useRef(false);
  useEffect(() => {
    const tell = () => announce(`${word}: ${title}`);
    if (state === 'live' && isTold.current) {
      isTold.current = false;
      tell();
    }
    // The banner says of the others that nothing answers, and what fails says so where it stands.
    if (state !== 'polling') return;
    const timer = setTimeout(() => {
      isTold.current = true;
      tell();
    }, NOT_LIVE_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <span class={`live live-${state}`} title={title}>
      <span class="live-dot" />
      <span class="live-word">{word}</span>
    </span>
  );
}

/** @param onFault told why the session could not be ended */
function Who({ onFault }: { onFault: (fault: RequestError) => void }) {
  const who = session.value;
  const leave = async () => {
    try {
      await signOut();
    } catch (error) {
      onFault(asRequestError(error));
    }
  };
  if (who?.authentication !== 'token' || who.name === null) return null;
  return (
    <span class="who">
      <span class="who-name" title={`Signed in as ${who.name}`}>
        {who.name}
      </span>
      <button type="button" class="button" onClick={() => void leave()}>
        Sign out
      </button>
    </span>
  );
}

/** Says that a sign-out failed: without it, a visitor who believes to be signed out leaves a session behind. */
function StillSignedIn({ fault, onClose }: { fault: RequestError; onClose: () => void }) {
  return (
    <FormDialog
      title="You are still signed in"
      doIt="Try again"
      leaveIt="Stay signed in"
      act={signOut}
      onClose={onClose}
    >
      <p>
        The session could not be ended: {fault.message} {fault.hint}
      </p>
    </FormDialog>
  );
}

/** Over the page, not in it: nothing moves when it comes and goes. */
function OfflineBanner() {
  // Where nothing was ever answered, the page itself says so.
  // Nor does it answer who is not signed in any more.
  const isOffline =
    connection.value === 'lost' && session.value !== undefined && !isSessionOver.value;
  return (
    <div class={isOffline ? 'away' : 'visually-hidden'} role="status">
      {isOffline && (
        <>
          <Icon name="warning" />
          <span>
            <b>Airline does not answer.</b> What you see may be old. This page tries again by itself
            and goes on where it was.
          </span>
        </>
      )}
    </div>
  );
}
