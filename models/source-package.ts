import { textColumn } from './columns.ts';
import { storedModel } from './stored-model.ts';

/** A source package of the archive, recorded the first time that changes to it are submitted. */
export class SourcePackage extends storedModel(
  'source_package',
  { name: textColumn() },
  { unique: 'name' },
) {}
