import { onOrOff, optional, section } from '../setting.ts';

export const tls = section('TLS to Temporal and RabbitMQ', {
  temporalTls: {
    isOn: onOrOff(
      'AIRLINE_TEMPORAL_TLS',
      'off',
      'Whether Temporal is reached by TLS. Each of the settings below turns it on, too.',
    ),
    ca: optional(
      'path',
      'AIRLINE_TEMPORAL_CA',
      "PEM file of the authority that signed Temporal's certificate. Unset: those that the machine trusts.",
    ),
    certificate: optional(
      'path',
      'AIRLINE_TEMPORAL_CERTIFICATE',
      'PEM file of the client certificate that is shown to Temporal.',
    ),
    key: optional('path', 'AIRLINE_TEMPORAL_KEY', 'PEM file of the key of that certificate.'),
    serverName: optional(
      'name',
      'AIRLINE_TEMPORAL_SERVER_NAME',
      "Name that Temporal's certificate is for, where it is not the host of the address.",
    ),
    apiKeyFile: optional(
      'path',
      'AIRLINE_TEMPORAL_API_KEY_FILE',
      'File with the API key that is sent to Temporal.',
    ),
  },
  amqpTls: {
    ca: optional(
      'path',
      'AIRLINE_AMQP_CA',
      "PEM file of the authority that signed RabbitMQ's certificate, for an amqps:// address. Unset: those that Node trusts.",
    ),
  },
});
