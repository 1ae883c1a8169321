import addFormats from 'ajv-formats';
import { Ajv } from 'ajv';
import { z } from 'zod';
import { messageSchema } from '../../api/builds/message-documents.ts';
import { progressMessageSchema } from '../../api/resources/progress-schemas.ts';
import type { ProgressMessage } from '../../domain/progress.ts';

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
const isAsServed = ajv.compile(messageSchema());
/** The served schema takes fields that it does not know, for the sake of later versions; this one takes none. */
const isAsDeclared = ajv.compile(z.toJSONSchema(progressMessageSchema, { target: 'draft-7' }));

/**
 * Fails a test where a message is not as the served JSON Schema says, or has a field that is not declared.
 *
 * @returns the message
 */
export function assertMessage(message: unknown): ProgressMessage {
  for (const isValid of [isAsServed, isAsDeclared])
    if (!isValid(message))
      throw new Error(
        `${ajv.errorsText(isValid.errors)}: ${JSON.stringify(message, null, 2).slice(0, 2_000)}`,
      );
  return message as ProgressMessage;
}
