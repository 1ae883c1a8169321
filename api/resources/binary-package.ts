import { boolean, reference, text } from '../rest/fields.ts';
import { resource } from '../rest/declare-resource.ts';
import { sourcePackage } from './source-package.ts';

export const BINARY_PACKAGE_FIELDS = {
  name: text({ maxLength: 4096, unique: true, help: 'Its name; there is one of each.' }),
  sourcepackage: reference(sourcePackage, 'sourcePackageId', {
    help: 'The source package that it is built from.',
  }),
  version: text({
    default: '',
    isVersion: true,
    help: 'Its version, empty where it is not known.',
  }),
  seeded: boolean({ default: false, help: 'Whether a seed of the distribution names it.' }),
};

export const binaryPackage = resource({
  name: 'binarypackage',
  summary: "What a source package's build produces, known by its name.",
  model: 'BinaryPackage',
  fields: BINARY_PACKAGE_FIELDS,
  filters: ['name', 'sourcepackage', 'version', 'seeded'],
  orders: ['name', 'version'],
  writeScope: 'ticket:write',
});
