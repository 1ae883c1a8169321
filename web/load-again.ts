// Runs first, so that it hears of all that a page fails to load. It imports nothing: it is not a module.

/** The other APIs may be of the same version by then. */
const AGAIN_MS = 2_000;

// While one version of Airline takes the place of another, a page may be of one, and the API that is asked for its
// files of the other.
addEventListener(
  'error',
  ({ target }) => {
    if (!(target instanceof HTMLScriptElement || target instanceof HTMLLinkElement)) return;
    const app = document.getElementById('app');
    if (app?.childElementCount === 0)
      app.textContent = 'A part of this page was not there. The page loads again by itself.';
    setTimeout(() => location.reload(), AGAIN_MS);
  },
  // Such an event does not bubble.
  true,
);
