import type { Gate } from '../../domain/landings/gate.ts';
import type { LandingPart, LandingTests } from '../../domain/landings/landing.ts';
import { storeUpload } from '../../main/demo/create-ticket.ts';
import type { Airline, Script } from './airline.ts';
import { uploadOf } from './source-package.ts';
import { until } from './until.ts';

const LIMIT_MS = 600_000;

export type Landing = {
  id: number;
  ticket_id: number;
  resource_uri: string;
  workflow_id: string;
  phase: string;
  parts: LandingPart[];
  tests: LandingTests | null;
  decision: object | null;
  paused_by: string | null;
  ahead: { landing_id: number }[];
  waits_for: string | null;
  failure: { class: string; message: string } | null;
};
type Source = NonNullable<Parameters<Airline['makeSource']>[0]>;

/** The last step of a build that leaves a package, which can be published. */
export const BUILT = { state: 'Successfully built' as const, binaries: true };

/** The PPA builds everything, save what is said of some packages. */
export const landingScript = (sources: Script['sources'] = {}): Script => ({
  sources: { '*': { builds: { '*': [BUILT] } }, ...sources },
});

/** Submits tickets and lands them. @param airline asked anew for each call, because it starts when the tests begin */
export function createLandings(airline: () => Airline) {
  const now = ({ resource_uri }: Landing) => airline().rest.get<Landing>(resource_uri);
  const inPhase = (landing: Landing, ...phases: string[]) =>
    until(
      `landing ${landing.id} is ${phases.join(' or ')}`,
      async () => {
        const seen = await now(landing);
        return phases.includes(seen.phase) && seen;
      },
      LIMIT_MS,
    );

  return {
    /** A ticket with a subticket for each source package, whose files are stored. */
    async submit(...sources: Source[]): Promise<{ id: number }> {
      const { rest, stack, makeSource } = airline();
      const ticket = await rest.post<{ id: number; subtickets: { resource_uri: string }[] }>(
        '/api/v1/ticket/bundle/',
        {
          owner: 'dev@example.org',
          title: 'A fix',
          subtickets: sources.map(({ name, version = '1.0' }) => ({
            source_package_upload: { sourcepackage: { name }, version },
          })),
        },
      );
      for (const [index, source] of sources.entries()) {
        const upload = uploadOf(await makeSource(source));
        for (const reference of await storeUpload(stack.addresses.api, upload))
          await rest.post('/api/v1/subticketartifact/', {
            subticket: ticket.subtickets[index]?.resource_uri,
            name: reference.split('/').at(-1),
            reference,
            type: 'SPU',
          });
      }
      return ticket;
    },

    land: ({ id }: { id: number }, fields: object = {}): Promise<Landing> =>
      airline().rest.post<Landing>(`/api/v1/ticket/${id}/land/`, {
        series: 'bookworm',
        archive: 'debian',
        ppa: 'ppa:airline/silo',
        target: 'ppa:airline/landed',
        ...fields,
      }),
    now,
    /** The landing, once it is in one of the phases. */
    inPhase,

    /** Whether it may be published, by the gate of its ticket. */
    gate: ({ ticket_id: ticket }: Landing) =>
      airline().rest.get<Gate>(`/api/v1/ticket/${ticket}/gate/`),

    /** Says for an hour that a test of a source does not count. */
    override: (source: string, test: string, reason: string) =>
      airline().rest.post('/api/v1/testoverride/', {
        source,
        test,
        reason,
        valid_until: new Date(Date.now() + 3_600_000).toISOString(),
      }),

    /** Decides once it waits for that, or has failed. */
    async decide(landing: Landing, decision: 'approve' | 'reject'): Promise<void> {
      await inPhase(landing, 'approving', 'failed');
      const comment = 'Tried by hand.';
      await airline().rest.post(`${landing.resource_uri}decide/`, { decision, comment });
    },

    /** The id of its first build, once there is one and the PPA has it. */
    building: (landing: Landing): Promise<number> =>
      until(
        'its build runs',
        async () => {
          const id = (await now(landing)).parts[0]?.build_id;
          return id && (await airline().build(id)).state === 'building' ? id : false;
        },
        LIMIT_MS,
      ),
  };
}
