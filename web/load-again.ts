// Runs first, so that it hears of all that a page fails to load. It imports nothing: it is not a module.

/** The other APIs may be of the same version by then. */
const AGAIN_MS = 2_000;

// While one version of Airline takes the place of another, a page may be of one, and the API that is asked for its
// files of the other.
addEventListener(
  'error',
  ({ target }) => {
    if (!isOurs(target)) return;
    const app = document.getElementById('app');
    if (app?.childElementCount === 0)
      app.textContent = 'A part of this page was not there. The page loads again by itself.';
    setTimeout(() => location.reload(), AGAIN_MS);
  },
  // Such an event does not bubble.
  true,
);

/** Whether it is a file of the page. What an extension or a proxy has put into it may fail each time. */
function isOurs(target: EventTarget | null): boolean {
  let address = '';
  if (target instanceof HTMLScriptElement) address = target.src;
  if (target instanceof HTMLLinkElement) address = target.href;
  return address.startsWith(`${location.origin}/assets/`);
}
