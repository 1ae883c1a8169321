import { FAILURE_CLASSES } from '../../domain/failure.ts';
import type { IconName } from '../components/icon.tsx';
import type { Found } from '../server/api-types.ts';
import { buildAddress, packageAddress, ticketAddress } from '../addresses.ts';
import { buildsAddress } from '../builds/asked.ts';

/** Something that the search leads to. */
export type Find = {
  key: string;
  icon: IconName;
  kind: string;
  name: string;
  detail: string;
  to: string;
};

/** The pages that can be gone to by name, and what else they are looked for by. */
const PAGES: readonly { name: string; to: string; icon: IconName; also: string }[] = [
  { name: 'Tickets', to: '/tickets', icon: 'tickets', also: '' },
  { name: 'Builds', to: '/builds', icon: 'builds', also: '' },
  { name: 'Builds that wait', to: buildsAddress({ show: 'waiting' }), icon: 'queued', also: '' },
  { name: 'Builds that failed', to: buildsAddress({ show: 'failed' }), icon: 'failed', also: '' },
  { name: 'Landings', to: '/landings', icon: 'landing', also: '' },
  { name: 'Packages', to: '/packages', icon: 'package', also: 'source' },
  { name: 'Status', to: '/status', icon: 'pulse', also: 'health workers queues' },
  { name: 'Front page', to: '/', icon: 'right', also: 'home start' },
  { name: 'People', to: '/people', icon: 'person', also: 'persons teams' },
  { name: 'Projects', to: '/projects', icon: 'package', also: '' },
  { name: 'Branches', to: '/branches', icon: 'landing', also: '' },
  { name: 'Merge proposals', to: '/proposals', icon: 'landing', also: '' },
  { name: 'History', to: '/history', icon: 'queued', also: 'audit changes' },
  { name: 'Tokens', to: '/tokens', icon: 'person', also: 'access' },
  { name: 'Pool of PPAs', to: '/pool', icon: 'package', also: '' },
];

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
  const pages = PAGES.filter(({ name, also }) => isFound(name, also)).map(
    ({ name, to, icon }): Find => ({ key: to, icon, kind: 'Page', name, detail: '', to }),
  );
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
