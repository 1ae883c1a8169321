/** The most rows of a list that the API gives at once. */
export const MAX_LIMIT = 1_000;
