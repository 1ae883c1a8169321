import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router';
import { useEffect } from 'preact/hooks';
import { isOwnPage, PAGES } from './addresses.ts';
import { ErrorBoundary } from './components/error-boundary.tsx';
import { Skeleton } from './components/notes.tsx';
import { BuildPage } from './pages/build-page.tsx';
import { LandingsPage } from './pages/landings-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { PackagePage } from './pages/package-page.tsx';
import { PackagesPage } from './pages/packages-page.tsx';
import { PoolPage } from './pages/pool-page.tsx';
import { SignInPage } from './pages/sign-in-page.tsx';
import { StatusPage } from './pages/status-page.tsx';
import { TicketPage } from './pages/ticket-page.tsx';
import { TicketsPage } from './pages/tickets-page.tsx';
import { connection, followChanges, onChange } from './server/changes.ts';
import { loadSession, mustSignIn, session } from './server/session.ts';
import { Shell } from './shell.tsx';

const SESSION_RETRY_MS = 3_000;

/** The web UI: a page for each address, for everyone who may read. */
export function App() {
  return (
    <LocationProvider scope={PAGES}>
      <ErrorBoundary>
        <Pages />
      </ErrorBoundary>
    </LocationProvider>
  );
}

function Pages() {
  const { path, url, query, route } = useLocation();
  const who = session.value;
  useSession();
  const isSignIn = path === '/sign-in';
  const isOut = who !== undefined && mustSignIn(who);
  const next = query['next'];

  useEffect(() => {
    if (isOut && !isSignIn) route(`/sign-in?next=${encodeURIComponent(url)}`, true);
    if (who && !isOut && isSignIn) route(next && isOwnPage(next) ? next : '/', true);
  }, [who, isOut, isSignIn]);
  useEffect(() => (who && !isOut ? followChanges() : undefined), [who === undefined, isOut]);

  return (
    <Shell>
      {who === undefined || isOut !== isSignIn ? (
        <Skeleton />
      ) : (
        <Router>
          <Route path="/" component={TicketsPage} />
          <Route path="/tickets" component={TicketsPage} />
          <Route path="/ticket/:id" component={TicketPage} />
          <Route path="/build/:id" component={BuildPage} />
          <Route path="/landings" component={LandingsPage} />
          <Route path="/pool" component={PoolPage} />
          <Route path="/packages" component={PackagesPage} />
          <Route path="/package/:name" component={PackagePage} />
          <Route path="/status" component={StatusPage} />
          <Route path="/sign-in" component={SignInPage} />
          <Route default component={NotFoundPage} />
        </Router>
      )}
    </Shell>
  );
}

/** Asks who the visitor is until the API answers, and again after a gap: the session may have ended in it. */
function useSession(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = () => {
      loadSession().catch(() => {
        if (session.peek() === undefined) timer = setTimeout(load, SESSION_RETRY_MS);
      });
    };
    load();
    const unsubscribe = onChange((change) => {
      if (change === 'anything') load();
    });
    // A stream that ends does not say whether it is because the session has.
    const stopWatching = connection.subscribe((now) => {
      if (now === 'lost') load();
    });
    return () => {
      clearTimeout(timer);
      stopWatching();
      unsubscribe();
    };
  }, []);
}
