import { z } from 'zod';
import { INVALID_PPA, launchpadName, parsePpa } from '../../domain/packages/ppa.ts';
import { REFERENCE_KINDS } from '../../domain/tickets/ticket.ts';
import { resource } from '../rest/declare-resource.ts';
import { isStorable } from '../rest/field-values.ts';
import { oneOf, reference, text } from '../rest/fields.ts';
import { person } from './person.ts';
import { testSuite } from './test-suite.ts';
import { ticket } from './ticket.ts';

const WEB_ADDRESS = new RegExp(String.raw`^https?:\/\/[^\s\u0000]+$`, 'u');
const MAX_URL = 2_000;
const MAX_PPA = 300;
const A_URL = 'Enter an http or https URL of at most 2000 characters.';

const ofTicket = reference(ticket, 'ticketId', { help: 'The ticket.' });

export const ticketReference = resource({
  name: 'reference',
  summary: 'A page that a ticket is about: a bug, a blueprint, a design document.',
  model: 'TicketReference',
  fields: {
    ticket: ofTicket,
    kind: oneOf(REFERENCE_KINDS, { help: 'What kind of page it is.' }),
    url: {
      ...text({ help: 'Its URL.' }),
      input: z
        .string({ error: A_URL })
        .regex(WEB_ADDRESS, A_URL)
        .max(MAX_URL, A_URL)
        .refine(isStorable, A_URL),
    },
    title: text({ default: '', help: 'Its title.' }),
  },
  filters: ['ticket', 'kind', 'url', 'title'],
  orders: ['kind', 'title'],
  writeScope: 'ticket:write',
});

export const ticketOwner = resource({
  name: 'ticketowner',
  summary: 'A person or a team that a ticket belongs to, besides its owner.',
  model: 'TicketOwner',
  fields: {
    ticket: ofTicket,
    person: reference(person, 'personId', { help: 'The person or the team.' }),
  },
  filters: ['ticket', 'person'],
  orders: [],
  writeScope: 'ticket:write',
});

export const ticketPpa = resource({
  name: 'ticketppa',
  summary: 'A PPA that is dedicated to a ticket.',
  model: 'TicketPpa',
  fields: {
    ticket: ofTicket,
    ppa: {
      ...text({ help: 'The PPA, in any of the forms that a build takes.' }),
      input: z
        .string({ error: 'Enter a string.' })
        .max(MAX_PPA, 'The PPA is too long.')
        .transform(launchpadName)
        .refine((given) => parsePpa(given, 'ubuntu') !== undefined, INVALID_PPA),
    },
  },
  filters: ['ticket', 'ppa'],
  orders: ['ppa'],
  writeScope: 'ticket:write',
});

export const ticketTestSuite = resource({
  name: 'tickettestsuite',
  summary: 'A test suite that is to be run for a ticket.',
  model: 'TicketTestSuite',
  fields: {
    ticket: ofTicket,
    testsuite: reference(testSuite, 'testSuiteId', { help: 'The test suite.' }),
  },
  filters: ['ticket', 'testsuite'],
  orders: [],
  writeScope: 'ticket:write',
});
