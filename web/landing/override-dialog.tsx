import { announce } from '../announce.ts';
import { FormDialog } from '../components/dialog.tsx';
import { formText } from '../components/form-text.ts';
import { ReasonField } from '../components/reason-field.tsx';
import { TextField } from '../components/text-field.tsx';
import { readClock } from '../server/api-clock.ts';
import { request } from '../server/request.ts';
import type { Gate, Landing } from '../server/api-types.ts';

export type Excuse = Gate['excuses'][number];

const DEFAULT_DAYS = 14;
const MAX_DAYS = 365;

/** What a test is called, such as `hello: smoke`, or `hello` for all of them. */
export function testName({ source, test }: Excuse): string {
  return test === '*' ? source : `${source}: ${test}`;
}

/** Says that a test does not count, until a day. */
export function OverrideDialog({
  excuse,
  landing,
  onClose,
  onDone,
}: {
  excuse: Excuse;
  landing: Landing;
  onClose: () => void;
  onDone: () => void;
}) {
  const { source, architecture, test } = excuse;
  const act = async (form: FormData, key: string) => {
    // The whole of the day, where the reader is.
    const endsAt = new Date(`${formText(form, 'until')}T23:59:59`);
    await request('POST', '/api/v1/testoverride/', {
      key,
      body: {
        source,
        architecture,
        ...(test === '*' ? {} : { test }),
        reason: formText(form, 'reason'),
        valid_until: endsAt.toISOString(),
      },
    });
    announce(`${testName(excuse)} does not count`);
    onDone();
  };
  return (
    <FormDialog
      title={`${testName(excuse)} on ${architecture} does not count?`}
      doIt="It does not count"
      act={act}
      onClose={onClose}
    >
      <p>
        This holds for every landing that you may approve, and cannot be taken back.{' '}
        {landing.finished_at === null
          ? 'Landings that wait for a person are judged again at once.'
          : 'The landing goes on with it when it is tried again.'}
      </p>
      <ReasonField label="Why (it stays for good, with your name)" name="reason" />
      <TextField
        label="Until the end of"
        name="until"
        type="date"
        min={dayIn(0)}
        max={dayIn(MAX_DAYS)}
        defaultValue={dayIn(DEFAULT_DAYS)}
      />
    </FormDialog>
  );
}

/** A day so many days from today by the API's clock, as the reader's calendar has it: `2026-04-16`. */
function dayIn(days: number): string {
  const day = new Date(readClock());
  day.setDate(day.getDate() + days);
  const [month, date] = [day.getMonth() + 1, day.getDate()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${day.getFullYear()}-${month}-${date}`;
}
