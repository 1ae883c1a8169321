import { useEffect, useState } from 'preact/hooks';
import { announce } from '../announce.ts';
import { ErrorNote } from '../components/notes.tsx';
import { Rail } from '../components/rail.tsx';
import type { Gate, Landing } from '../server/api-types.ts';
import { useResource } from '../server/use-resource.ts';
import { BuildOrder } from './build-order.tsx';
import { Excuses, useOverrides } from './excuses.tsx';
import { GateCriteria } from './gate-criteria.tsx';
import { landingLabel } from './labels.ts';
import { LandingTests } from './landing-tests.tsx';
import { LandingVerdict } from './landing-verdict.tsx';
import { OverrideDialog, type Excuse } from './override-dialog.tsx';
import { phaseStops } from './phase-stops.ts';
import { useLandingEvents } from './use-landing-events.ts';

/** The landing of a ticket: how it goes, what it has to fulfil, and what is built and tested for it. */
export function LandingOfTicket({
  landing,
  others,
  onDone,
}: {
  landing: Landing;
  others: readonly Landing[];
  onDone: () => void;
}) {
  const { events, error, reload } = useLandingEvents(landing);
  const gate = useResource<Gate>(
    `${landing.resource_uri}gate/`,
    (change) => change.landing.includes(landing.id) || landing.parts.some(isOf(change.build)),
  );
  const excuses = gate.data?.excuses ?? [];
  const overrides = useOverrides(landing, excuses);
  const [asked, setAsked] = useState<Excuse>();
  const { word } = landingLabel(landing);
  useEffect(() => announce(`Landing ${landing.id}: ${word}`), [word]);
  return (
    <>
      <LandingVerdict landing={landing} others={others} onDone={onDone} />
      <GateCriteria gate={gate} />
      <Rail label="Way of the landing" stops={phaseStops(landing, events)} />
      {error && <ErrorNote what="The times of its phases" error={error} retry={reload} />}
      <BuildOrder landing={landing} />
      {/* Rows that are gone stay shown, and those of an attempt are not the next one's. */}
      <LandingTests key={landing.attempt} landing={landing} gate={gate.data}>
        {excuses.length > 0 && <Excuses {...{ excuses, landing, overrides }} ask={setAsked} />}
      </LandingTests>
      {/* It holds for every landing: neither a new attempt nor another gate takes away what is being written. */}
      {asked && (
        <OverrideDialog
          excuse={asked}
          landing={landing}
          onClose={() => setAsked(undefined)}
          onDone={overrides.reload}
        />
      )}
    </>
  );
}

const isOf = (builds: readonly number[]) => (part: Landing['parts'][number]) =>
  part.build_id !== null && builds.includes(part.build_id);
