/** What jest calls after the last test file. */
export default async function globalTeardown() {
  const { stopSharedStack } = await import('../stack/shared-stack.ts');
  await stopSharedStack();
}
