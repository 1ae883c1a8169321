/**
 * What becomes public of a landing that is cancelled or rejected before it publishes, as the end of a sentence. An
 * earlier attempt may have published some of its packages, which Launchpad does not take back.
 */
export function nothingPublishedText({ attempt }: { attempt: number }): string {
  return attempt === 1
    ? 'nothing is published'
    : 'nothing more is published; what an earlier attempt has published stays published';
}
