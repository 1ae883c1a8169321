import { signal } from '@preact/signals';

/**
 * Whether the page is seen. What it holds open is let go while it is not: a browser has few connections for all tabs.
 */
export const isVisible = signal(document.visibilityState === 'visible');

document.addEventListener('visibilitychange', () => {
  isVisible.value = document.visibilityState === 'visible';
});

/** Whether somebody wants to hear of changes even while the page is not seen. */
export const isAwaited = signal(false);
