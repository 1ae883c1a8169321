import { reference, text } from '../rest/fields.ts';
import { resource } from '../rest/declare-resource.ts';
import { sourcePackage } from './source-package.ts';

export const sourcePackageUpload = resource({
  name: 'spu',
  summary: 'A version of a source package that a developer uploads.',
  aliases: ['sourcepackageupload'],
  model: 'SourcePackageUpload',
  fields: {
    sourcepackage: reference(sourcePackage, 'sourcePackageId', { help: 'The source package.' }),
    version: text({ isVersion: true, help: 'Its version, as the changelog has it.' }),
  },
  filters: ['sourcepackage', 'version'],
  orders: ['version'],
  writeScope: 'ticket:write',
  errors: { change: ['ticket_under_way'] },
});
