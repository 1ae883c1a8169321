/** Does one thing after another, in the order in which they are asked for. One that fails keeps none waiting. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  /**
   * Does something once all that was asked for before has ended.
   *
   * @param work is told for how long it has waited, in milliseconds
   * @returns what `work` does
   * @throws as `work`
   */
  async take<T>(work: (waitedMs: number) => Promise<T>): Promise<T> {
    const askedAtMs = Date.now();
    const done = this.last.then(() => work(Date.now() - askedAtMs));
    this.last = done.catch(() => undefined);
    return done;
  }
}
