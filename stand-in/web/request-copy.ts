import {
  archiveReference,
  POCKETS,
  type Archive,
  type Pocket,
} from '../../domain/packages/archive.ts';
import type { Accounts } from '../archive/accounts.ts';
import type { ArchiveState } from '../archive/archive-state.ts';
import { displayNameOf } from '../archive/display-name.ts';
import { pocketRefusal } from '../archive/pockets.ts';
import { now } from '../archive/records.ts';
import { findSource } from '../archive/releases.ts';
import type { Distributions } from '../options.ts';
import type { ScriptFile } from '../script/script.ts';
import type { ArchiveFinder } from './find-archive.ts';
import { BadRequest, NotFound } from './parameters.ts';
import type { ResourceRequest } from './resource.ts';

const MAX_PERCENTAGE = 100;

export type CopyRequestDependencies = {
  state: ArchiveState;
  accounts: Accounts;
  script: ScriptFile | undefined;
  distributions: Distributions;
  findArchive: ArchiveFinder;
};

/**
 * Launchpad's `copyPackage`: looks whether the source exists and whether the caller may upload to the target, and puts
 * the copy down. Everything else is checked when it is made.
 */
export function requestCopy(
  archive: Archive,
  { parameters, token }: ResourceRequest,
  { state, accounts, script, distributions, findArchive }: CopyRequestDependencies,
): null {
  const source = parameters.requiredText('source_name');
  const version = parameters.requiredText('version');
  const fromLink = parameters.requiredLink('from_archive').join('/');
  const from = findArchive.at(fromLink);
  if (!from) throw new BadRequest(`from_archive: No such object "${fromLink}".`);
  const pocket = pocketOf(parameters.requiredText('to_pocket'));
  const fromPocketText = parameters.text('from_pocket');
  const fromPocket = fromPocketText === undefined ? undefined : pocketOf(fromPocketText);
  const toSeries = seriesOf(archive, parameters.text('to_series'));
  const fromSeries = seriesOf(from, parameters.text('from_series'));
  if ((parameters.wholeNumber('phased_update_percentage') ?? 0) > MAX_PERCENTAGE)
    throw new BadRequest('phased_update_percentage must be between 0 and 100 (inclusive).');
  const accepted = { fromSeries, fromPocket, ...flagsOf() };

  if (!state.sources().some((one) => one.source === source))
    throw new NotFound(`No such source package: '${source}'.`);
  const fromArchive = archiveReference(from);
  const origin = findSource(state, fromArchive, {
    source,
    version,
    series: fromSeries,
    pocket: fromPocket,
  });
  if (!origin) throw new BadRequest(`${source} is not published in ${displayNameOf(from)}.`);
  const series = toSeries ?? origin.series;
  // Launchpad answers 400 here too, not 403: its CannotCopy takes over the text of what is not permitted.
  const refusal =
    pocketRefusal({ archive, series, pocket }, script) ?? accounts.refusalOfToken(token, archive);
  if (refusal !== undefined) throw new BadRequest(refusal);
  if (accepted.move && !accounts.mayTokenUpload(token, from))
    throw new BadRequest(
      `The requester is not permitted to delete publications from ${displayNameOf(from)}.`,
    );

  state.transact(({ nextId, put }) =>
    put('copy', {
      id: nextId(),
      archive: archiveReference(archive),
      series,
      pocket,
      source,
      version,
      fromArchive,
      ...accepted,
      token,
      createdAt: now(),
      isDone: false,
      queueStatus: null,
    }),
  );
  return null;

  function flagsOf() {
    // Their types alone are looked at: nothing here is private, nobody gets mail, and the script approves.
    parameters.link('sponsored');
    for (const name of ['unembargo', 'auto_approve']) parameters.flag(name);
    return {
      includeBinaries: parameters.flag('include_binaries'),
      move: parameters.flag('move'),
      silent: parameters.flag('silent'),
    };
  }

  function seriesOf({ distribution }: Archive, name: string | undefined): string | undefined {
    if (name !== undefined && !distributions[distribution]?.includes(name))
      throw new NotFound(`No such distribution series: '${name}'.`);
    return name;
  }
}

function pocketOf(text: string): Pocket {
  const pocket = POCKETS.find((one) => one.toUpperCase() === text.toUpperCase());
  if (!pocket) throw new NotFound(`No such pocket: '${text.toUpperCase()}'.`);
  return pocket;
}
