import { z } from 'zod';
import { POOL_PPA_STATES } from '../../domain/landings/pool-ppa.ts';
import { readOnlyResource } from '../rest/declare-resource.ts';
import { optionalReference, readOnly } from '../rest/fields.ts';
import { landing } from './landing.ts';

/** A PPA that landings take turns in. */
export const poolPpa = readOnlyResource({
  name: 'ppapool',
  summary: 'A PPA of the pool: landings take turns in it, and it is emptied in between.',
  model: 'PoolPpa',
  fields: {
    ppa: readOnly({ help: 'The PPA, as ~owner/distribution/name.' }),
    distribution: readOnly({ help: 'Its distribution.' }),
    state: readOnly({
      schema: z.enum(POOL_PPA_STATES),
      help: 'free; leased by a landing; cleaning; quarantined, until somebody has it cleaned again; or retired.',
    }),
    state_since: readOnly({
      kind: 'datetime',
      schema: z.iso.datetime(),
      help: 'When it came into the state.',
    }),
    reason: readOnly({
      schema: z.string().nullable(),
      help: 'Why it is quarantined or retired, or why its cleaning cannot get on; else null.',
    }),
    landing: optionalReference(landing, 'landingId', {
      writable: 'never',
      help: 'The landing that holds it.',
    }),
    landing_id: readOnly({
      kind: 'integer',
      schema: z.int().nullable(),
      help: 'The id of that landing.',
    }),
  },
  filters: ['ppa', 'distribution', 'state', 'landing', 'landing_id'],
  orders: ['ppa', 'state', 'state_since'],
  methods: { list: ['get', 'post'], detail: ['get'] },
});
