/** What a piece of work gives, or the text of what it throws. */
export async function orError<T>(work: () => Promise<T>): Promise<{ value?: T; error?: string }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error: error instanceof Error ? error.message || error.name : String(error) };
  }
}
