import { BUILD_PHASES } from '../../domain/builds/build-phase.ts';
import { FAILURE_CLASSES } from '../../domain/builds/failure.ts';
import { readPpa } from '../../domain/packages/ppa.ts';
import { offsetIn } from '../addresses.ts';
import { phaseLabel } from '../states.ts';

/** An owner that is written in full, which an index finds. */
const WHOLE_ADDRESS = /^\S+@\S+\.\w{2,}$/;

/** How many builds a page has. */
export const LIMIT = 50;
const NEWEST_FIRST = '-id';
const HOUR_MS = 3_600_000;

/** The phases in which a build waits for somebody or something. */
const WAITING = [
  'queued',
  'accepting',
  'waiting_for_builder',
  'dependency_wait',
  'prerequisite_wait',
] as const;

/** What the list can be narrowed to, besides a phase. */
export const SHOWN = [
  { value: '', word: 'All builds' },
  { value: 'active', word: 'Under way' },
  { value: 'waiting', word: 'Waiting' },
  ...BUILD_PHASES.map((phase) => ({ value: phase as string, word: phaseLabel(phase).word })),
] as const;

/** When a build was requested, or has ended. */
export const AGES = [
  { value: '', word: 'Any time' },
  { value: '1h', word: 'In the last hour', hours: 1 },
  { value: '1d', word: 'In the last day', hours: 24 },
  { value: '7d', word: 'In the last week', hours: 168 },
  { value: '30d', word: 'In the last 30 days', hours: 720 },
  { value: 'over-1h', word: 'Over an hour ago', hours: 1 },
  { value: 'over-1d', word: 'Over a day ago', hours: 24 },
  { value: 'ended-1d', word: 'Ended in the last day', hours: 24 },
] as const;

export const CLASSES = Object.keys(FAILURE_CLASSES);

/** What is asked of the list; the address has all of it. */
export type BuildsQuery = {
  show: string;
  failure: string;
  package: string;
  ppa: string;
  series: string;
  owner: string;
  age: string;
  order: string;
  offset: number;
};
const TEXTS = ['show', 'failure', 'package', 'ppa', 'series', 'owner', 'age'] as const;

/** What an address asks for. */
export function readBuildsQuery(query: Record<string, string>): BuildsQuery {
  const texts = Object.fromEntries(TEXTS.map((name) => [name, query[name] ?? '']));
  return {
    ...(texts as Pick<BuildsQuery, (typeof TEXTS)[number]>),
    order: query['order'] ?? NEWEST_FIRST,
    offset: offsetIn(query),
  };
}

/** Whether less than all builds are asked for. */
export function isNarrowed(asked: BuildsQuery): boolean {
  return TEXTS.some((name) => asked[name] !== '');
}

/** The query of the page that shows what is asked for; what is not asked for is left out. */
export function pageQuery(asked: Partial<BuildsQuery>): string {
  const query = new URLSearchParams();
  for (const name of TEXTS) if (asked[name]) query.set(name, asked[name]);
  if (asked.order !== undefined && asked.order !== NEWEST_FIRST) query.set('order', asked.order);
  if (asked.offset !== undefined && asked.offset > 0) query.set('offset', String(asked.offset));
  return query.toString();
}

/** The address of the page of builds that shows what is asked for. */
export function buildsAddress(asked: Partial<BuildsQuery>): string {
  const query = pageQuery(asked);
  return query === '' ? '/builds' : `/builds?${query}`;
}

/** The address of the list in the API. @param nowMs that ages are counted from */
export function listAddress(asked: BuildsQuery, nowMs: number): string {
  const query = new URLSearchParams({
    limit: String(LIMIT),
    offset: String(asked.offset),
    order_by: asked.order,
  });
  if (asked.show === 'active') query.set('finished_at__isnull', 'true');
  else if (asked.show === 'waiting') query.set('phase__in', WAITING.join(','));
  else if (asked.show !== '') query.set('phase', asked.show);
  if (asked.failure !== '') query.set('failure_class', asked.failure);
  if (asked.package !== '') query.set('package', asked.package);
  if (asked.ppa !== '') query.set(readPpa(asked.ppa) ? 'in_ppa' : 'ppa__icontains', asked.ppa);
  if (asked.series !== '') query.set('series', asked.series);
  if (asked.owner !== '')
    query.set(
      WHOLE_ADDRESS.test(asked.owner) ? 'ticket__owner' : 'ticket__owner__icontains',
      asked.owner,
    );
  const age = AGES.find(({ value }) => value === asked.age);
  if (age && 'hours' in age) {
    const at = new Date(nowMs - age.hours * HOUR_MS).toISOString();
    query.set(timeFilter(age.value), at);
  }
  return `/api/v1/buildsummary/?${query}`;
}

function timeFilter(age: string): string {
  if (age.startsWith('ended')) return 'finished_at__gte';
  return age.startsWith('over') ? 'requested_at__lt' : 'requested_at__gte';
}
