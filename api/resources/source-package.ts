import { text } from '../fields.ts';
import { resource } from '../resource.ts';

// PostgreSQL indexes no text of more than 2704 bytes; Debian's names are far shorter.
const NAME_MAX_LENGTH = 255;

export const sourcePackage = resource({
  name: 'sourcepackage',
  summary:
    'A source package of the archive, recorded the first time that changes to it are submitted.',
  model: (database) => database.SourcePackage,
  fields: { name: text({ maxLength: NAME_MAX_LENGTH, help: 'Its name; there is one of each.' }) },
  filters: ['name'],
  orders: ['name'],
  writeScope: 'ticket:write',
});
