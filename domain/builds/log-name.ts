/** The name of the file of a build's log. */
export function logName(
  of: { readonly package: string; readonly version: string; readonly architecture: string },
  kind: 'build' | 'upload',
): string {
  return `${of.package}_${of.version}_${of.architecture}.${kind}.log`;
}

/** `<package>_<version>_<architecture>.build.log`, or `.upload.log`; none of the three has an underscore. */
const LOG_NAME = /^(?<name>[^_]+)_[^_]*_(?<architecture>[^_.]+)\./;

/**
 * Whether a log is of a package and an architecture, by the name of its file.
 *
 * @param wanted.package undefined: any
 * @param wanted.architecture undefined: any
 */
export function isLogOf(
  fileName: string,
  wanted: { readonly package?: string | undefined; readonly architecture?: string | undefined },
): boolean {
  const { name, architecture } = LOG_NAME.exec(fileName)?.groups ?? {};
  return (
    (wanted.package === undefined || name === wanted.package) &&
    (wanted.architecture === undefined || architecture === wanted.architecture)
  );
}
