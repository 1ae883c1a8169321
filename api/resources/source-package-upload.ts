import { reference, text } from '../fields.ts';
import { resource } from '../resource.ts';
import { sourcePackage } from './source-package.ts';

export const sourcePackageUpload = resource({
  name: 'spu',
  aliases: ['sourcepackageupload'],
  model: (database) => database.SourcePackageUpload,
  fields: { sourcepackage: reference(sourcePackage, 'sourcePackageId'), version: text() },
  filters: ['sourcepackage', 'version'],
  orders: ['version'],
  create: (database, values) => database.SourcePackageUpload.add(values),
  change: (database, id, values) => database.SourcePackageUpload.revise(id, values),
});
