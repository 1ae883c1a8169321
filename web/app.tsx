import type { ComponentChildren } from 'preact';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isOwnPage } from './addresses.ts';
import { ErrorBoundary } from './components/error-boundary.tsx';
import { Skeleton } from './components/notes.tsx';
import { AwayPage } from './pages/away-page.tsx';
import { BuildPage } from './pages/build-page.tsx';
import { BuildsPage } from './pages/builds-page.tsx';
import { HelpPage } from './pages/help-page.tsx';
import { HistoryPage } from './pages/history-page.tsx';
import { HomePage } from './pages/home-page.tsx';
import { LandingsPage } from './pages/landings-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { PackagePage } from './pages/package-page.tsx';
import { PackagesPage } from './pages/packages-page.tsx';
import { PoolPage } from './pages/pool-page.tsx';
import { BranchesPage, PeoplePage, ProjectsPage, ProposalsPage } from './pages/record-pages.tsx';
import { TokensPage } from './pages/tokens-page.tsx';
import { SignInPage } from './pages/sign-in-page.tsx';
import { StatusPage } from './pages/status-page.tsx';
import { TicketPage } from './pages/ticket-page.tsx';
import { TicketsPage } from './pages/tickets-page.tsx';
import { WorkersPage } from './pages/workers-page.tsx';
import { arrive } from './reader-place.ts';
import { connection, followChanges } from './server/changes.ts';
import { mayFollow, mustSignIn, session } from './server/session.ts';
import { useSession } from './server/use-session.ts';
import { Shell } from './shell.tsx';
import { ROUTED, SITE_MAP, type SitePath } from './site-map.ts';

const COMPONENTS: Readonly<Record<SitePath, () => ComponentChildren>> = {
  '/': HomePage,
  '/tickets': TicketsPage,
  '/builds': BuildsPage,
  '/landings': LandingsPage,
  '/packages': PackagesPage,
  '/status': StatusPage,
  '/people': PeoplePage,
  '/projects': ProjectsPage,
  '/branches': BranchesPage,
  '/proposals': ProposalsPage,
  '/history': HistoryPage,
  '/workers': WorkersPage,
  '/pool': PoolPage,
  '/tokens': TokensPage,
  '/help': HelpPage,
};
const NumberedTicket = numbered(TicketPage);
const NumberedBuild = numbered(BuildPage);

/** The web UI: a page for each address, for everyone who may read. */
export function App() {
  return (
    <LocationProvider scope={ROUTED}>
      <ErrorBoundary as="main">
        <Pages />
      </ErrorBoundary>
    </LocationProvider>
  );
}

/** A page of what has a number; of any other word there is none. */
function numbered(Page: (given: { id: string }) => ComponentChildren) {
  return ({ id }: { id: string }) => (/^\d{1,9}$/.test(id) ? <Page id={id} /> : <NotFoundPage />);
}

function Pages() {
  const { path, query, route, url } = useLocation();
  const who = session.value;
  useSession();
  useArrival(path);
  const isSignIn = path === '/sign-in';
  const isOut = who !== undefined && mustSignIn(who);
  const next = query['next'];

  useEffect(() => {
    // The router does not know which lines of a log the address names.
    const here = location.pathname + location.search + location.hash;
    // Two answers may say at once that the session is over: the second comes before the new address is drawn.
    const isThere = location.pathname === '/sign-in';
    if (isOut && !isThere) route(`/sign-in?next=${encodeURIComponent(here)}`, true);
    if (who && !isOut && isSignIn) route(next && isOwnPage(next) ? next : '/', true);
  }, [who, isOut, isSignIn]);
  // Who comes to sign in is not known yet, and would be refused.
  const isRefused = isOut || (isSignIn && who === undefined) || !mayFollow();
  useEffect(() => (isRefused ? undefined : followChanges()), [isRefused]);

  return (
    <Shell>
      {who === undefined && connection.value === 'lost' ? (
        <AwayPage />
      ) : who === undefined || isOut !== isSignIn ? (
        <Skeleton />
      ) : (
        <ErrorBoundary as="div" at={url}>
          <Router>
            {SITE_MAP.map(({ path: of }) => (
              <Route key={of} path={of} component={COMPONENTS[of]} />
            ))}
            <Route path="/ticket/:id" component={NumberedTicket} />
            <Route path="/build/:id" component={NumberedBuild} />
            <Route path="/package/:name" component={PackagePage} />
            <Route path="/sign-in" component={SignInPage} />
            <Route default component={NotFoundPage} />
          </Router>
        </ErrorBoundary>
      )}
    </Shell>
  );
}

/** Has a page that is come to by a link begin at its top, with the focus on its heading. */
function useArrival(path: string): void {
  const before = useRef(path);
  useLayoutEffect(() => {
    if (before.current !== path) arrive();
    before.current = path;
  }, [path]);
}
