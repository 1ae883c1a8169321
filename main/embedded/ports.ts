import { createServer } from 'node:net';

/** A port that a part is going to listen on, and the variable that moves it. */
export type NeededPort = { port: number; host: string; variable: string; part: string };

/**
 * Sees that every port is free, before anything starts.
 *
 * @throws Error with one line for each that is not
 */
export async function assertFreePorts(needed: readonly NeededPort[]): Promise<void> {
  const problems = await Promise.all(needed.map(problemOf));
  const twice = needed.filter((one, at) => needed.findIndex(({ port }) => port === one.port) < at);
  const lines = [
    ...problems.filter((line) => line !== undefined),
    ...twice.map(({ port, variable }) => `Port ${port} is given twice; ${variable} moves one.`),
  ];
  if (lines.length > 0) throw new Error(lines.join('\n'));
}

async function problemOf({ port, host, variable, part }: NeededPort): Promise<string | undefined> {
  if (port > 65_535) return `${part} would need port ${port}; give ${variable} a lower value.`;
  const code = await new Promise<string | undefined>((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
  switch (code) {
    case undefined:
      return undefined;
    case 'EADDRINUSE':
      return `Port ${port} on ${host}, needed for ${part}, is taken by another program; ${variable} moves it.`;
    default:
      return `Port ${port} on ${host}, needed for ${part}, cannot be used (${code}); ${variable} moves it.`;
  }
}
