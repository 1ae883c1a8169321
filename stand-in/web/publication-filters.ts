import { POCKETS, type Archive } from '../../domain/packages/archive.ts';
import {
  PUBLICATION_STATUSES,
  type BinaryPublication,
  type Publication,
  type SourcePublication,
} from '../archive/records.ts';
import { BadRequest, type Parameters } from './parameters.ts';

/** What `getPublishedSources` selects. */
export function selectSources(
  all: readonly SourcePublication[],
  parameters: Parameters,
  archive: Archive,
): SourcePublication[] {
  const [, series] = linkIn(parameters, 'distro_series', archive);
  return selectPublications(all, parameters, 'source_name', (one) => one.source).filter(
    (one) => series === undefined || one.series === series,
  );
}

/** What `getPublishedBinaries` selects. */
export function selectBinaries(
  all: readonly BinaryPublication[],
  parameters: Parameters,
  archive: Archive,
): BinaryPublication[] {
  const [, series, architecture] = linkIn(parameters, 'distro_arch_series', archive);
  return selectPublications(all, parameters, 'binary_name', (one) => one.name).filter(
    (one) =>
      series === undefined ||
      (one.series === series && (one.architecture === architecture || one.architecture === 'all')),
  );
}

function linkIn(parameters: Parameters, name: string, { distribution }: Archive): string[] {
  const parts = parameters.link(name);
  if (parts && parts[0] !== distribution)
    throw new BadRequest(`${name}: it is not of the archive's distribution.`);
  return parts ?? [];
}

/** The filters that sources and binaries share. The default order is by name, the latest first. */
function selectPublications<Kind extends Publication>(
  all: readonly Kind[],
  parameters: Parameters,
  nameParameter: string,
  nameOf: (one: Kind) => string,
): Kind[] {
  const name = parameters.text(nameParameter);
  const version = parameters.text('version');
  if (version !== undefined && name === undefined)
    throw new BadRequest(`version: it needs ${nameParameter}.`);
  const isExact = parameters.flag('exact_match');
  const status = parameters.choice('status', PUBLICATION_STATUSES);
  const component = parameters.text('component_name');
  const since = parameters.date('created_since_date')?.getTime();
  const pocket = parameters.choice('pocket', POCKETS);
  const selected = all.filter(
    (one) =>
      (pocket === undefined || one.pocket === pocket) &&
      (name === undefined || (isExact ? nameOf(one) === name : nameOf(one).includes(name))) &&
      (version === undefined || one.version === version) &&
      (status === undefined || one.status === status) &&
      (component === undefined || one.component === component) &&
      (since === undefined || Date.parse(one.createdAt) >= since),
  );
  // Ids rise with the date of creation.
  if (parameters.flag('order_by_date')) return selected.toSorted((a, b) => b.id - a.id);
  if (parameters.flag('order_by_date_ascending')) return selected.toSorted((a, b) => a.id - b.id);
  return selected.toSorted((a, b) =>
    nameOf(a) === nameOf(b) ? b.id - a.id : nameOf(a) < nameOf(b) ? -1 : 1,
  );
}
