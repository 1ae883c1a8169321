import { count, milliseconds, port, section, UP_TO_A_MONTH } from '../setting.ts';

export const ports = section('Ports and queues of the embedded stack', {
  ports: {
    database: port('AIRLINE_DATABASE_PORT', 5433, 'Port of the private PostgreSQL cluster.'),
    amqp: port(
      'AIRLINE_AMQP_PORT',
      5673,
      'Port of the private RabbitMQ node. Its node names service and its distribution take two ports above 20000 more.',
    ),
    temporal: port('AIRLINE_TEMPORAL_PORT', 7233, 'Port of the Temporal development server.'),
    temporalUi: port('AIRLINE_TEMPORAL_UI_PORT', 8233, "Port of Temporal's Web UI."),
    temporalHttp: port('AIRLINE_TEMPORAL_HTTP_PORT', 7243, "Port of Temporal's HTTP API."),
    temporalMetrics: port('AIRLINE_TEMPORAL_METRICS_PORT', 7244, "Port of Temporal's metrics."),
    standIn: port(
      'AIRLINE_STAND_IN_PORT',
      8085,
      "Port of the Launchpad stand-in's web service and apt repository.",
    ),
    standInFtp: port(
      'AIRLINE_STAND_IN_FTP_PORT',
      2121,
      "Port of the Launchpad stand-in's upload server.",
    ),
  },
  queueLimits: {
    maxLength: count(
      'AIRLINE_QUEUE_MAX_LENGTH',
      100_000,
      'Messages that a queue of the private RabbitMQ node holds. A full queue takes no more: its events wait in the database.',
    ),
    expiresMs: milliseconds(
      'AIRLINE_QUEUE_EXPIRES_MS',
      7 * 86_400_000,
      'The private RabbitMQ node deletes a queue, and what is in it, after nobody has read it for this long.',
      UP_TO_A_MONTH,
    ),
  },
});
