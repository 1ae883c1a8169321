// Runs before the first paint, so that a chosen scheme never flashes. It imports nothing: it is not a module.

const chosen = localStorage.getItem('theme');
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen;
