import type { Subticket, Ticket } from '../api/contract.ts';
import { CommandError } from './command-error.ts';
import { EXIT } from './exit-code.ts';
import type { Invocation } from './invocation.ts';
import { toneOf } from './paint.ts';
import { stepText } from './values.ts';

export type SetStepOptions = { status?: string; reason?: string; from?: string };

/**
 * Moves a ticket or a subticket to a step.
 *
 * @throws CommandError `conflict` or `precondition_failed` where it does not stand at `from`
 */
export async function setStep(
  { rest, out }: Invocation,
  kind: 'ticket' | 'subticket',
  id: number,
  step: string,
  { status = step, reason, from }: SetStepOptions,
): Promise<void> {
  const path = `/api/v1/${kind}/${id}/`;
  const name = `${kind === 'ticket' ? 'Ticket' : 'Subticket'} ${id}`;
  const response = await rest.open(path);
  const before = (await response.json()) as Ticket | Subticket;
  if (from !== undefined && before.current_workflow_step !== from)
    throw new CommandError(
      `${name} stands at ${stepText(before.current_workflow_step)}, not at ${stepText(from)}.`,
      {
        code: 'conflict',
        exit: EXIT.conflict,
        hint: `Nothing was changed; \`airline ${kind} history ${id}\` says who moved it.`,
      },
    );
  const etag = response.headers.get('etag');
  const moved = await rest.write<Ticket | Subticket>(
    'PATCH',
    path,
    { current_workflow_step: step, status, ...(reason === undefined ? {} : { reason }) },
    from !== undefined && etag !== null ? { ifMatch: etag } : {},
  );
  await out.show({
    json: moved,
    quiet: moved.current_workflow_step,
    human: () =>
      `${name}: ${stepText(before.current_workflow_step)} → ${out.paint(toneOf(moved.current_workflow_step), stepText(moved.current_workflow_step))}`,
  });
}
