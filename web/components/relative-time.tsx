import { durationText } from '../../domain/text/quantity-text.ts';
import { nowMs, roughNowMs } from '../clock.ts';
import { ago, exactTime } from '../format.ts';

/** How long ago something was; the exact time is in its title. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)} class="nobreak">
      {ago(at, roughNowMs.value)}
    </time>
  );
}

/** How long something has taken so far, counting. */
export function Elapsed({ since }: { since: string }) {
  return <span class="figure">{durationText(nowMs.value - Date.parse(since))}</span>;
}
