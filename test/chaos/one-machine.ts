import { freePorts, portVariables } from '../support/stack/free-ports.ts';
import { strikePart } from './blows.ts';
import type { Site } from './site.ts';

/** All parts on this machine, on loopback and on free ports. */
export async function oneMachine(): Promise<Site> {
  const [ports, others] = await Promise.all([freePorts(), freePorts()]);
  const apiUrls = [`http://127.0.0.1:${ports.api}`, `http://127.0.0.1:${others.api}`] as const;
  return {
    workers: 2,
    apiUrls,
    landerHost: '127.0.0.1',
    variables: { ...portVariables(ports), AIRLINE_PUBLIC_URL: apiUrls[0] },
    apiVariables: [{}, { AIRLINE_API_PORT: String(others.api) }],
    otherParts: () => [],
    placed: (service) => service,
    token: async () => undefined,
    victims: (parts) => new Map(parts),
    strike: strikePart,
    close: async () => undefined,
  };
}
