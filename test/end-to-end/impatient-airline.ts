import { startAirline, type Airline } from '../support/airline.ts';

/**
 * Starts an Airline beside another, on the same PPA, whose limits may pass. Where a limit must pass only after the PPA
 * has come to a state, the patient one brings it there first: so nothing depends on who is faster. The PPA does not
 * know the key of its `submit`.
 */
export function startImpatient(
  { stack }: Airline,
  environment: Record<string, string>,
): Promise<Airline> {
  return startAirline({
    parts: ['api', 'worker'],
    environment: {
      AIRLINE_LAUNCHPAD_URL: stack.addresses.launchpadUrl,
      AIRLINE_UPLOAD_HOST: stack.addresses.uploadHost,
      AIRLINE_LAUNCHPAD_CREDENTIALS: stack.environment['AIRLINE_LAUNCHPAD_CREDENTIALS'] ?? '',
      ...environment,
    },
  });
}

/** Requests a build of what was submitted to another Airline. */
export async function requestHere(
  airline: Airline,
  { urls }: { urls: string[] },
  fields: Record<string, unknown>,
): ReturnType<Airline['requestBuild']> {
  const ticket = await airline.rest.post<{ id: number }>('/api/v1/ticket/', {
    owner: 'dev@airline.example',
    title: 'It may take too long',
  });
  return airline.requestBuild({ ticketId: ticket.id, urls }, fields);
}
