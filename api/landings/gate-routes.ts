import { AirlineError } from '../../domain/errors.ts';
import type { Gate } from '../../domain/landings/gate.ts';
import { judgeGate } from '../../domain/landings/judge-gate.ts';
import { freezesOf } from '../../domain/landings/landing-permission.ts';
import { policyOf } from '../../domain/landings/placed-policy.ts';
import { readGateInput } from '../../models/landings/gate-input.ts';
import type { Landing } from '../../models/landings/landing.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import type { Operation } from '../http/operation.ts';
import { gateSchema } from '../resources/gate.ts';
import { landing } from '../resources/landing.ts';
import { ticket } from '../resources/ticket.ts';
import { answerRead } from '../rest/answers.ts';
import { notFound, pathId } from '../rest/read-resource.ts';
import { idOf } from '../rest/resource-routes.ts';

const answers = { 200: { description: 'How each criterion stands.', schema: gateSchema } };

/** Whether a landing may be published, and why not. */
export const gateOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/v1/landing/{id}/gate/',
    summary: 'Say whether a landing may be published, criterion by criterion',
    scope: 'read',
    answers,
    errors: ['not_found'],
    handle: async (ctx, deps) => {
      const row = await deps.database.Landing.findByPk(pathId(landing, idOf(ctx)));
      answerRead(ctx, await gateOf(deps, row ?? notFound(landing, idOf(ctx))));
    },
  },
  {
    method: 'get',
    path: '/api/v1/ticket/{id}/gate/',
    summary: "Say whether a ticket's latest landing may be published, criterion by criterion",
    scope: 'read',
    answers,
    errors: ['not_found'],
    handle: async (ctx, deps) => {
      const ticketId = pathId(ticket, idOf(ctx));
      const row = await deps.database.Landing.findOne({
        where: { ticketId },
        // A retry is a request: the one that is under way is the latest, whatever came after its first attempt.
        order: [
          ['requestedAt', 'DESC'],
          ['id', 'DESC'],
        ],
      });
      if (!row) throw new AirlineError('not_found', `Ticket ${ticketId} has no landing.`);
      answerRead(ctx, await gateOf(deps, row));
    },
  },
];

async function gateOf(
  { database, landingPolicies, now }: HandlerDependencies,
  row: Landing,
): Promise<Gate> {
  const freezes = freezesOf(row, policyOf(landingPolicies, row.landingTarget));
  return judgeGate(await readGateInput(database, row, freezes, now()));
}
