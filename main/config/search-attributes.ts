import type { Logger } from 'pino';
import { SEARCH_ATTRIBUTES } from '../../domain/builds/build-workflow.ts';

// Temporal's IndexedValueType, by the names of our vocabulary.
const INDEXED_VALUE_TYPES = { KEYWORD: 2, INT: 3, KEYWORD_LIST: 7 } as const;

// gRPC's PERMISSION_DENIED and UNIMPLEMENTED: what Temporal Cloud and locked clusters say.
const REFUSALS: readonly unknown[] = [7, 12];

/** What of a connection to Temporal search attributes need: its operator service. */
type OperatorConnection = {
  operatorService: {
    listSearchAttributes(of: { namespace: string }): Promise<{ customAttributes: object }>;
    addSearchAttributes(of: {
      namespace: string;
      searchAttributes: Record<string, number>;
    }): Promise<unknown>;
  };
};

type SearchAttributes = Partial<typeof SEARCH_ATTRIBUTES>;

/** Those of Airline's search attributes that a namespace does not have yet, with their types. */
export async function missingSearchAttributes(
  { operatorService }: OperatorConnection,
  namespace: string,
): Promise<SearchAttributes> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  return Object.fromEntries(
    Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !(name in customAttributes)),
  );
}

/** Adds search attributes to a namespace. Those that it has stay as they are. */
export async function addSearchAttributes(
  { operatorService }: OperatorConnection,
  namespace: string,
  added: SearchAttributes,
): Promise<void> {
  const types = Object.entries(added);
  if (types.length === 0) return;
  await operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(
      types.map(([name, type]) => [name, INDEXED_VALUE_TYPES[type]]),
    ),
  });
}

/**
 * Registers those of Airline's search attributes that the namespace does not have yet. Where Temporal does not allow
 * that, as Temporal Cloud does not, it says which an operator has to create: builds wait until they are there.
 */
export async function registerSearchAttributes(
  connection: OperatorConnection,
  namespace: string,
  logger: Logger,
): Promise<void> {
  let missing: SearchAttributes = SEARCH_ATTRIBUTES;
  try {
    missing = await missingSearchAttributes(connection, namespace);
    await addSearchAttributes(connection, namespace, missing);
  } catch (error) {
    if (!REFUSALS.includes((error as { code?: unknown }).code)) throw error;
    logger.warn(
      { namespace, searchAttributes: missing, reason: String(error) },
      'Temporal does not let Airline register search attributes: create those that the namespace lacks',
    );
  }
}
