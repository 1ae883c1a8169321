import { computed, signal } from '@preact/signals';

/**
 * Whether the page is seen. What it holds open is let go while it is not: a browser has few connections for all tabs.
 */
export const isVisible = signal(document.visibilityState === 'visible');

document.addEventListener('visibilitychange', () => {
  isVisible.value = document.visibilityState === 'visible';
});

/** Whether somebody wants to hear of changes even while the page is not seen. */
export const isAwaited = signal(false);

/** Whether what the page shows is kept up to date: else its tab is not to speak for it. */
export const isKeptUp = computed(() => isVisible.value || isAwaited.value);
