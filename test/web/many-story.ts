import { Readable } from 'node:stream';
import { failureOf } from '../../domain/builds/failure.ts';
import { buildRecordState } from '../../domain/builds/build-state.ts';
import { finalPhase, phaseInPpa, stateOfPhase } from '../../domain/builds/build-phase.ts';
import type { ArchitectureBuild } from '../../domain/builds/progress.ts';
import type { DataStore } from '../../store/store.ts';
import { addPastTicket, insert, minutesBefore, type Rows } from './seed.ts';

const ARCHITECTURES = ['amd64', 'arm64', 'armhf', 'i386', 'ppc64el', 'riscv64', 's390x'];
const NAMES = [
  'atlas',
  'golang-github-prometheus-client-model',
  'hello',
  'libgreet',
  'node-left-pad',
  'python-orbit',
  'rocketscience',
  'ruby-weather',
  'weather',
  'zlib-ng',
];

/** Builds of many packages on seven architectures. */
export type ManyStory = { ticket: number; ended: number; underWay: number };

/** Adds a build of 10 packages that is under way, and one of 50 that has ended with three failures. */
export async function tellMany(rows: Rows, store: DataStore, nowMs: number): Promise<ManyStory> {
  const ticket = await addPastTicket(
    rows,
    { owner: 'ann@example.com', title: 'The transition of fifty packages', madeMinutesAgo: 200 },
    nowMs,
  );
  const underWay = await addMany(rows, store, { ticket, packages: 10, isUnderWay: true, nowMs });
  const ended = await addMany(rows, store, { ticket, packages: 50, isUnderWay: false, nowMs });
  return { ticket, ended, underWay };
}

/** `ruby-weather` of 10 packages, `ruby-weather-3` of more. */
function nameOf(place: number): string {
  const round = Math.floor(place / NAMES.length);
  return `${NAMES[place % NAMES.length]}${round === 0 ? '' : `-${round}`}`;
}

function fateOf(place: number, isUnderWay: boolean): string {
  if (!isUnderWay) return place % 117 === 30 ? 'Failed to build' : 'Successfully built';
  if (place === 44) return 'Failed to build';
  if (place === 12) return 'Dependency wait';
  return ['Successfully built', 'Currently building', 'Needs building'][place % 3] ?? '';
}

async function addMany(
  rows: Rows,
  store: DataStore,
  {
    ticket,
    packages,
    isUnderWay,
    nowMs,
  }: { ticket: number; packages: number; isUnderWay: boolean; nowMs: number },
): Promise<number> {
  const minutesAgo = isUnderWay ? 25 : 150;
  const after = (minutes: number) => minutesBefore(nowMs, minutesAgo - minutes);
  const builds: ArchitectureBuild[] = [];
  for (let place = 0; place < packages * ARCHITECTURES.length; place++) {
    const buildstate = fateOf(place, isUnderWay);
    const waited = 1 + ((place * 7) % 11);
    const took = 2 + ((place * 5) % 9);
    const state = buildRecordState(buildstate);
    builds.push({
      package: nameOf(Math.floor(place / ARCHITECTURES.length)),
      version: '1.0-1',
      architecture: ARCHITECTURES[place % ARCHITECTURES.length] ?? '',
      buildstate,
      state,
      web_link: `https://launchpad.example/+build/${place}`,
      created_at: after(1),
      started_at: state === 'waiting' ? null : after(1 + waited),
      built_at: state === 'waiting' || state === 'building' ? null : after(1 + waited + took),
      ...(buildstate === 'Dependency wait' ? { dependencies: 'libpixel-dev (>= 1.5)' } : {}),
    });
  }
  const logs = isUnderWay ? [] : await putLogs(store, builds);
  const failed = builds.find((one) => one.state === 'failed');
  const failure =
    isUnderWay || !failed
      ? undefined
      : failureOf('build_failed', `${failed.package} 1.0-1 on ${failed.architecture} failed`, {
          package: failed.package,
          architecture: failed.architecture,
          line: 90,
        });
  const phase = isUnderWay ? phaseInPpa(builds.map(({ state }) => state)) : finalPhase(failure);
  return insert(rows, 'build', {
    ticket_id: ticket,
    source_packages: JSON.stringify(
      [...new Set(builds.map((one) => one.package))].map(
        (name) => `https://store.example:8443/${name}_1.0-1_source.changes`,
      ),
    ),
    ppa: 'ppa:airline/landing',
    progress_trigger: 'landing.progress',
    series: 'noble',
    package_names: [...new Set(builds.map((one) => one.package))],
    archive: 'ubuntu',
    state: stateOfPhase(phase),
    phase,
    phase_since: after(2),
    reported_at: after(3),
    architecture_builds: JSON.stringify(builds),
    logs: JSON.stringify(logs),
    failure: failure ? JSON.stringify(failure) : null,
    last_seq: 0,
    created_at: after(0),
    updated_at: after(3),
    requested_at: after(0),
    requested_by: 'lander',
    dispatched_at: after(0.01),
    finished_at: isUnderWay ? null : after(25),
  });
}

async function putLogs(store: DataStore, builds: readonly ArchitectureBuild[]): Promise<string[]> {
  const urls = [];
  for (const { package: name, architecture } of builds) {
    const key = `builds/many/${name}_1.0-1_${architecture}.build.log`;
    await store.put(key, Readable.from([Buffer.from(sbuildLog(name, architecture))]));
    urls.push(store.urlOf(key));
  }
  return urls;
}

const RULE = `+${'-'.repeat(78)}+`;

/** A log as sbuild writes it, in parts; line 90 is in the part "Build". */
export function sbuildLog(name: string, architecture: string): string {
  const part = (title: string, lines: number, text: string) => [
    RULE,
    `| ${title.padEnd(76)} |`,
    RULE,
    ...Array.from({ length: lines }, (_, at) => `${text} ${at + 1}`),
  ];
  return `${[
    `sbuild (Debian sbuild) 0.85.0 on builder-${architecture}`,
    ...part(`${name} 1.0-1 (${architecture})`, 8, 'I: about'),
    ...part('Fetch source files', 12, 'Get:'),
    ...part('Install package build dependencies', 40, 'Setting up lib'),
    ...part('Build', 60, `cc -c part_${name}.c -o part`),
    ...part('Cleanup', 5, 'Purging'),
    ...part('Summary', 6, 'Status:'),
  ].join('\n')}\n`;
}
