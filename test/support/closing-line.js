/** Closes jest's output with one line for programs: `N passed, N failed`, with what was skipped if anything was. */
export default class ClosingLine {
  onRunComplete(_contexts, results) {
    // A file that cannot even be loaded has no tests that could fail.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // At the very end, after jest's own summary.
    process.once('exit', () => process.stdout.write(`${line}\n`));
  }
}
