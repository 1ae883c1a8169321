/** So long after what the reader does on a page, what changes there is taken for its result. */
const ITS_RESULT_MS = 5_000;

let lastMs = -Infinity;

/** The reader has asked for something to be done. */
export function noteUserAction(): void {
  lastMs = performance.now();
}

/** Whether what changes now is what the reader has asked for. */
export function isAfterUserAction(): boolean {
  return performance.now() - lastMs < ITS_RESULT_MS;
}
