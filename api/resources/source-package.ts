import { text } from '../rest/fields.ts';
import { resource } from '../rest/declare-resource.ts';

// PostgreSQL indexes no text of more than 2704 bytes; Debian's names are far shorter.
const NAME_MAX_LENGTH = 255;

export const SOURCE_PACKAGE_FIELDS = {
  name: text({
    maxLength: NAME_MAX_LENGTH,
    unique: true,
    help: 'Its name; there is one of each.',
  }),
};

export const sourcePackage = resource({
  name: 'sourcepackage',
  summary:
    'A source package of the archive, recorded the first time that changes to it are submitted.',
  model: 'SourcePackage',
  fields: SOURCE_PACKAGE_FIELDS,
  filters: ['name'],
  orders: ['name'],
  writeScope: 'ticket:write',
  errors: { change: ['ticket_under_way'] },
});
