import type { Landing } from '../../api/openapi/contract.generated.ts';
import type { LandingOptions } from '../definition/landing-options.ts';
import { shellCall } from '../output/shell-call.ts';
import type { ApiClient } from '../server/api-client.ts';

/** What a landing is requested with. */
export type LandingRequestOptions = LandingOptions & {
  target: string;
  series: string;
  ppa?: string;
  archive?: string | undefined;
  anySeries?: boolean;
  queue?: string;
  webhook?: number;
};

/** Requests a landing of a ticket. @throws CommandError */
export function requestLanding(
  api: Pick<ApiClient, 'write'>,
  ticketId: number,
  options: LandingRequestOptions,
): Promise<Landing> {
  return api.write<Landing>('POST', `/api/v1/ticket/${ticketId}/land/`, {
    target: options.target,
    series: options.series,
    target_series: options.targetSeries,
    pocket: options.pocket,
    ppa: options.ppa,
    archive: options.archive,
    progress_trigger: options.queue,
    webhook_id: options.webhook,
  });
}

/** The call that lands a ticket so, quoted for a shell. */
export function landingCall(ticketId: number, options: LandingRequestOptions): string {
  return shellCall(`airline ticket land ${ticketId}`, {
    '--target': options.target,
    '--series': options.series,
    '--target-series': options.targetSeries,
    '--pocket': options.pocket,
    '--ppa': options.ppa,
    '--archive': options.archive,
    '--any-series': options.anySeries,
    '--queue': options.queue,
    '--webhook': options.webhook,
  });
}
