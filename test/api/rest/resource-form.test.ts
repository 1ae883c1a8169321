import { z } from 'zod';
import { ticket } from '../../../api/resources/ticket.ts';
import { readOnlyResource, view } from '../../../api/rest/declare-resource.ts';
import { text } from '../../../api/rest/fields.ts';

const NAME = { name: text({ help: 'Its name.' }) };
const EMAIL = { email: text({ help: 'Its address.' }) };
const PERSON = { name: 'person', summary: 'A person.', model: 'Person', orders: [] } as const;
const formOf = (fields: Parameters<typeof readOnlyResource>[0]['fields'], derived = {}) =>
  readOnlyResource({ ...PERSON, fields, filters: [], derived }).form;

describe('the form of a resource', () => {
  it('stays while its answers have the same fields', () => {
    expect(formOf(NAME)).toBe(formOf({ name: text({ help: 'In other words.' }) }));
    expect(view(ticket, 'closedtickets', { methods: ticket.methods }).form).toBe(ticket.form);
  });

  it('is another where they have other fields, or fields that are made from its rows', () => {
    const initial = { schema: z.string(), help: 'The first letter.', of: () => 'A' };
    const forms = [
      formOf(NAME),
      formOf({ ...NAME, ...EMAIL }),
      formOf({ ...EMAIL, ...NAME }),
      formOf(NAME, { initial }),
      ticket.form,
    ];
    expect(new Set(forms).size).toBe(forms.length);
    for (const form of forms) expect(form).toMatch(/^[\w-]{8}$/);
  });
});
