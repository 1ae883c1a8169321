// Runs before the first paint, so that a chosen scheme never flashes; it imports nothing, because it is no module.

const chosen = localStorage.getItem('theme');
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen;
