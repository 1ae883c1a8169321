/** Why what was tested may not be published. @param moved what the target has got, such as `hello 2.10-4` */
export function movedText(moved: readonly string[]): string {
  return `the target got ${moved.join(', ')} since the packages were tested`;
}

/** Why they are tested again, in a sentence. */
export function testedAgainText(moved: readonly string[]): string {
  return `The packages are tested again, and an approval from before does not count: ${movedText(moved)}.`;
}
