/** Of what does not say how wide it is, a pipe or some terminals: its width is absent, or 0. */
export const DEFAULT_COLUMNS = 80;
