const DISTRIBUTION_OFFSET = 20_000;
const NAMES_OFFSET = 20_001;

/** The ports of the private node: for clients, for Erlang's distribution and for its names service. */
export function rabbitmqPorts(clients: number) {
  return {
    clients,
    distribution: clients + DISTRIBUTION_OFFSET,
    names: clients + NAMES_OFFSET,
  };
}
