// Runs before the first paint, so that a chosen scheme never flashes. It imports nothing: it is not a module.

try {
  const chosen = localStorage.getItem('theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen;
} catch {
  // The browser lets the page keep nothing: its colours are as the system has them.
}
