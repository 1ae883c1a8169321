import { isPpa, type Archive } from '../domain/packages/archive.ts';

/** The address of a series in the web service. */
export function seriesUrl(root: URL, distribution: string, series: string): URL {
  return new URL(`${distribution}/${series}`, root);
}

/** Whether a link of the web service, whatever its root, is that of an archive. */
export function isLinkOf(link: string, archive: Archive): boolean {
  return link.endsWith(archiveUrl(new URL('https://any.invalid/'), archive).pathname);
}

/** The address of an archive in the web service. */
export function archiveUrl(root: URL, archive: Archive): URL {
  const { distribution } = archive;
  return new URL(
    isPpa(archive)
      ? `~${archive.owner}/+archive/${distribution}/${archive.name}`
      : `${distribution}/+archive/primary`,
    root,
  );
}
