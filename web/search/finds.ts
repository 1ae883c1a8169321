import { FAILURE_CLASSES } from '../../domain/builds/failure.ts';
import type { IconName } from '../components/icon-name.ts';
import type { Found } from '../server/api-types.ts';
import { buildAddress, packageAddress, ticketAddress } from '../addresses.ts';
import { buildsAddress } from '../builds/builds-query.ts';
import { SITE_MAP } from '../site-map.ts';

/** Something that the search leads to. */
export type Find = {
  key: string;
  icon: IconName;
  kind: string;
  name: string;
  detail: string;
  to: string;
};

/** Lists of builds that can be gone to by name. */
const BUILD_LISTS = [
  {
    path: buildsAddress({ show: 'waiting' }),
    word: 'Builds that wait',
    icon: 'queued',
  },
  {
    path: buildsAddress({ show: 'failed' }),
    word: 'Builds that failed',
    icon: 'failed',
  },
] as const;

/** Where what the API found is. */
export function findOf(found: Found): Find {
  const { kind, id, name, detail } = found;
  const key = `${kind} ${id ?? ''} ${name} ${detail}`;
  switch (kind) {
    case 'ticket':
      return {
        key,
        icon: 'tickets',
        kind: 'Ticket',
        name: `#${id} ${name}`,
        detail,
        to: ticketAddress(id ?? 0),
      };
    case 'build':
      return {
        key,
        icon: 'builds',
        kind: 'Build',
        name: `Build ${id}: ${name}`,
        detail,
        to: buildAddress(id ?? 0),
      };
    case 'version':
      return {
        key,
        icon: 'package',
        kind: 'Version',
        name: `${name} ${detail}`,
        detail: id === null ? 'not built yet' : `build ${id}`,
        to: id === null ? packageAddress(name) : buildAddress(id),
      };
    case 'ppa':
      return {
        key,
        icon: 'landing',
        kind: 'PPA',
        name,
        detail: 'its builds',
        to: buildsAddress({ ppa: name }),
      };
    default:
      return { key, icon: 'package', kind: 'Package', name, detail, to: packageAddress(name) };
  }
}

/** What needs no look into the database: pages and failure classes whose names have the words. */
export function knownFinds(text: string): Find[] {
  const words = text.toLowerCase().split(/[\s_]+/);
  const isFound = (...names: string[]) => {
    const all = names.join(' ').toLowerCase();
    return words.every((word) => all.includes(word));
  };
  const pages = [...SITE_MAP, ...BUILD_LISTS]
    .filter((page) => isFound(page.word, 'also' in page ? page.also : ''))
    .map(({ path, word, icon }): Find => ({
      key: path,
      icon,
      kind: 'Page',
      name: word,
      detail: '',
      to: path,
    }));
  const classes = text === '' ? [] : Object.keys(FAILURE_CLASSES).filter((one) => isFound(one));
  return [
    ...pages,
    ...classes.map((one): Find => ({
      key: `class ${one}`,
      icon: 'failed',
      kind: 'Failure class',
      name: one,
      detail: 'builds that failed so',
      to: buildsAddress({ failure: one }),
    })),
  ];
}
