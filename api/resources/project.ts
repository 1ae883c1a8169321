import { MAX_LONG_TEXT, reference, text } from '../rest/fields.ts';
import { resource } from '../rest/declare-resource.ts';
import { person } from './person.ts';

export const project = resource({
  name: 'project',
  summary: 'An upstream project.',
  model: 'Project',
  fields: {
    name: text({ maxLength: 4096, help: 'Its name.' }),
    display_name: text({ maxLength: 4096, help: 'Its name as people read it.' }),
    maintainer: reference(person, 'maintainerId', { help: 'The person or team who maintains it.' }),
    contact: reference(person, 'contactId', { help: 'The person or team to ask about it.' }),
    description: text({ maxLength: MAX_LONG_TEXT, default: '', help: 'What it is.' }),
  },
  filters: ['name', 'display_name', 'maintainer', 'contact'],
  orders: ['name', 'display_name'],
  writeScope: 'ticket:write',
});
