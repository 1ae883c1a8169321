import type { ArchitectureBuild, ExpectedDuration } from '../../api/openapi/contract.generated.ts';

/**
 * How long a package usually takes on an architecture, in ms.
 *
 * @param expected what is known of earlier builds
 * @returns undefined where there was none
 */
export function usualMs(
  { package: name, architecture }: Pick<ArchitectureBuild, 'package' | 'architecture'>,
  expected: readonly ExpectedDuration[],
): number | undefined {
  const found = expected.find((one) => one.package === name && one.architecture === architecture);
  return found?.median_ms ?? undefined;
}
