import { referenceColumn, textColumn } from './columns.ts';
import { storedModel } from './stored-model.ts';

/** A version of a source package that a developer uploads (SPU). */
export class SourcePackageUpload extends storedModel('source_package_upload', {
  sourcePackageId: referenceColumn(),
  version: textColumn(),
}) {}
