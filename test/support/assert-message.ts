import addFormats from 'ajv-formats';
import { Ajv, type ValidateFunction } from 'ajv';
import { z } from 'zod';
import { landingMessageSchema, messageSchema } from '../../api/service/message-documents.ts';
import { landingEventSchema } from '../../api/resources/landing.ts';
import { progressMessageSchema } from '../../api/resources/progress-schemas.ts';
import type { ProgressMessage } from '../../domain/builds/progress.ts';

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
const isAsServed = ajv.compile(messageSchema());
/** The served schema takes fields that it does not know, for the sake of later versions; this one takes none. */
const isLandingAsServed = ajv.compile(landingMessageSchema());
const isLandingAsDeclared = ajv.compile(z.toJSONSchema(landingEventSchema, { target: 'draft-7' }));
const isAsDeclared = ajv.compile(z.toJSONSchema(progressMessageSchema, { target: 'draft-7' }));

/**
 * Fails a test where a message is not as the served JSON Schema says, or has a field that is not declared.
 *
 * @returns the message
 */
export function assertMessage(message: unknown): ProgressMessage {
  assertValid([isAsServed, isAsDeclared], message);
  return message as ProgressMessage;
}

/** The same of a message of a landing. */
export function assertLandingMessage(message: unknown): void {
  assertValid([isLandingAsServed, isLandingAsDeclared], message);
}

function assertValid(checks: readonly ValidateFunction[], message: unknown): void {
  for (const isValid of checks)
    if (!isValid(message))
      throw new Error(
        `${ajv.errorsText(isValid.errors)}: ${JSON.stringify(message, null, 2).slice(0, 2_000)}`,
      );
}
