import type { Scope } from '../domain/access/access.ts';
import type { IconName } from './components/icon-name.ts';

/** A page whose address names nothing that it shows. */
type SitePage = {
  path: string;
  /** What links to it are called. */
  word: string;
  icon: IconName;
  /** Where every page has a link to it: at its top, or at its end. */
  linkedAt?: 'top' | 'end';
  /** The scope without which there is no link to it. */
  needs?: Scope;
  /** The addresses, besides its own, of what belongs to it. */
  holds?: RegExp;
  /** The key that goes to it, after g. */
  key?: string;
  /** What else it is searched by. */
  also?: string;
};

const PAGES = [
  {
    path: '/tickets',
    word: 'Tickets',
    icon: 'tickets',
    linkedAt: 'top',
    holds: /^\/ticket\//,
    key: 't',
  },
  {
    path: '/builds',
    word: 'Builds',
    icon: 'builds',
    linkedAt: 'top',
    holds: /^\/build\//,
    key: 'b',
  },
  {
    path: '/landings',
    word: 'Landings',
    icon: 'landing',
    linkedAt: 'top',
    holds: /^\/pool$/,
    key: 'l',
  },
  {
    path: '/packages',
    word: 'Packages',
    icon: 'package',
    linkedAt: 'top',
    holds: /^\/package\//,
    key: 'p',
    also: 'source',
  },
  {
    path: '/status',
    word: 'Status',
    icon: 'pulse',
    linkedAt: 'top',
    holds: /^\/workers$/,
    key: 's',
    also: 'health queues',
  },
  { path: '/', word: 'Front page', icon: 'right', key: 'h', also: 'home start' },
  { path: '/people', word: 'People', icon: 'person', linkedAt: 'end', also: 'persons teams' },
  { path: '/projects', word: 'Projects', icon: 'package', linkedAt: 'end' },
  { path: '/branches', word: 'Branches', icon: 'landing', linkedAt: 'end' },
  { path: '/proposals', word: 'Merge proposals', icon: 'landing', linkedAt: 'end' },
  { path: '/history', word: 'History', icon: 'queued', linkedAt: 'end', also: 'audit changes' },
  { path: '/workers', word: 'Workers', icon: 'pulse', linkedAt: 'end', also: 'testers slots' },
  { path: '/pool', word: 'Pool of PPAs', icon: 'package', linkedAt: 'end' },
  {
    path: '/tokens',
    word: 'Tokens',
    icon: 'person',
    linkedAt: 'end',
    needs: 'admin',
    also: 'access',
  },
  { path: '/help', word: 'Documentation', icon: 'help', linkedAt: 'end', also: 'help manual' },
] as const satisfies readonly SitePage[];

/** The address of a page of the site map. */
export type SitePath = (typeof PAGES)[number]['path'];

/** All pages but those of one ticket, build or package, and the sign-in; in the order in which they are listed. */
export const SITE_MAP: readonly (SitePage & { path: SitePath })[] = PAGES;

/** The pages that every page links to at a place. */
export function pagesLinkedAt(place: NonNullable<SitePage['linkedAt']>): readonly SitePage[] {
  return SITE_MAP.filter(({ linkedAt }) => linkedAt === place);
}

/** Whether an address is that of a page, or of what belongs to it. */
export function isPartOf({ path: own, holds }: SitePage, path: string): boolean {
  return path === own || (holds?.test(path) ?? false);
}

/** The addresses that the router takes over; all else is for the browser. */
export const ROUTED = new RegExp(
  `^(?:${[...SITE_MAP.map(({ path }) => path), '/sign-in'].join('|')})/?(?:[?#].*)?$|^/(?:ticket|build|package)/`,
);
