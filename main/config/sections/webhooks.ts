import {
  count,
  listedIfGiven,
  milliseconds,
  optional,
  section,
  UP_TO_A_MONTH,
} from '../setting.ts';

export const webhooks = section('Webhooks', {
  webhookHosts: listedIfGiven(
    optional(
      'list',
      'AIRLINE_WEBHOOK_HOSTS',
      'Hosts that webhooks may name, comma-separated, host or host:port. Unset: 127.0.0.1,localhost; with AIRLINE_AUTH=token none. AIRLINE_SOURCE_PRIVATE says which private addresses their names may lead to.',
    ),
  ),
  webhookSender: {
    intervalMs: milliseconds(
      'AIRLINE_WEBHOOK_INTERVAL_MS',
      1_000,
      'Interval at which an api or a worker looks for deliveries that are due.',
    ),
    answerMs: milliseconds(
      'AIRLINE_WEBHOOK_TIMEOUT_MS',
      15_000,
      'Time for one request to a webhook.',
      { max: 600_000 },
    ),
    maxBackoffMs: milliseconds(
      'AIRLINE_WEBHOOK_BACKOFF_MS',
      3_600_000,
      'Longest wait between two tries of a delivery. The first wait is 5 seconds; each further one is twice as long.',
    ),
    maxTries: count(
      'AIRLINE_WEBHOOK_TRIES',
      // By the waits above, the last one comes a little after the longest age below.
      34,
      'Failed tries after which a delivery is given up. With the other defaults, a day is over by then.',
    ),
    maxAgeMs: milliseconds(
      'AIRLINE_WEBHOOK_MAX_AGE_MS',
      86_400_000,
      'A delivery that still fails this long after its event is given up. The time begins anew when its webhook is switched on again, or gets another address or secret.',
      UP_TO_A_MONTH,
    ),
    failingMs: milliseconds(
      'AIRLINE_WEBHOOK_FAILING_MS',
      86_400_000,
      'A webhook of which every request has failed for this long is switched off.',
      UP_TO_A_MONTH,
    ),
    keepMs: milliseconds(
      'AIRLINE_WEBHOOK_LOG_MS',
      7 * 86_400_000,
      'Time that the log keeps deliveries that have ended, and those that wait for a webhook that is switched off.',
      UP_TO_A_MONTH,
    ),
  },
});
