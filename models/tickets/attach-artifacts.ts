import type { Sequelize, Transaction } from 'sequelize';
import { fileNameOfUrl } from '../../domain/packages/source-file.ts';
import type { SUBTICKET_ARTIFACT_TYPES } from '../../domain/tickets/ticket.ts';
import type { Build } from '../builds/build.ts';
import { query } from '../sql/query.ts';

/**
 * How the files of an attempt are named: `<source>_<version>_<architecture>.build.log`,
 * `<source>_<version>.packages.json`, and those of a test run `<source>_<version>_<architecture>.test.log` and
 * `.tests.json`.
 */
const FILE_NAME =
  /^(?<source>[^_]+)_(?<version>[^_]+)(?:_[^_]+\.(?:build|upload|test)\.log|\.packages\.json|_[^_]+\.tests\.json)$/;

/**
 * One subticket for each file: that of the very version before another of the source package, one that stands before
 * one that was replaced.
 */
const ATTACH = `
  INSERT INTO subticket_artifact (subticket_id, name, reference, type)
  SELECT concerned.id, file.name, file.reference, file.type
  FROM jsonb_to_recordset($2::jsonb)
      AS file (place integer, source text, version text, name text, reference text, type text),
    LATERAL (
      SELECT subticket.id
      FROM subticket
      JOIN source_package_upload upload ON upload.id = subticket.source_package_upload_id
      JOIN source_package ON source_package.id = upload.source_package_id
      WHERE subticket.ticket_id = $1 AND source_package.name = file.source
      ORDER BY upload.version = file.version DESC, subticket.replaced_by_id IS NULL DESC, subticket.id DESC LIMIT 1
    ) concerned
  WHERE NOT EXISTS (
    SELECT FROM subticket_artifact held
    WHERE (held.subticket_id, held.type, held.reference) = (concerned.id, file.type, file.reference)
  )
  ORDER BY file.place`;

/**
 * Attaches what an attempt of a build has left in the data store to the subtickets of its source packages, in the
 * transaction that ends the attempt: logs as LOGS, the lists of packages as RESULTS. A file that a subticket has is not
 * attached again, and one of a source package that no subticket stands for is passed over.
 */
export async function attachArtifacts(
  sequelize: Sequelize,
  { ticketId, attempt }: Pick<Build, 'ticketId' | 'attempt'>,
  { logs, lists = [] }: { logs: readonly string[]; lists?: readonly string[] | undefined },
  transaction: Transaction,
): Promise<void> {
  const files = [...logs.map(artifactOf('LOGS')), ...lists.map(artifactOf('RESULTS'))].flatMap(
    (file, place) => (file ? { ...file, place } : []),
  );
  if (files.length > 0)
    await query(sequelize, ATTACH, [ticketId, JSON.stringify(files)], transaction);

  function artifactOf(type: (typeof SUBTICKET_ARTIFACT_TYPES)[number]) {
    return (reference: string) => {
      const file = fileNameOfUrl(reference);
      const { source, version } = FILE_NAME.exec(file)?.groups ?? {};
      const name = attempt > 1 ? `${file} (attempt ${attempt})` : file;
      return source === undefined ? undefined : { source, version, name, reference, type };
    };
  }
}
