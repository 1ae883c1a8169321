import { boolean, email, text } from '../rest/fields.ts';
import { resource } from '../rest/declare-resource.ts';

export const person = resource({
  name: 'person',
  summary: 'A person, or a team, that projects, branches and merge proposals refer to.',
  model: 'Person',
  fields: {
    name: text({ maxLength: 4096, help: 'The name.' }),
    email: email({ maxLength: 200, help: 'The e-mail address.' }),
    is_team: boolean({ default: false, help: 'Whether it is a team; True and False are taken.' }),
  },
  filters: ['name', 'email', 'is_team'],
  orders: ['name', 'email', 'is_team'],
  writeScope: 'ticket:write',
});
