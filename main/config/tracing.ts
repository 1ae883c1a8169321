import { diag, DiagLogLevel, trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { withDeadline } from '../../timing/deadline.ts';
import { foreignEnvironment } from './config.ts';

/** Spans are collected. */
export type Tracing = {
  /** Sends what is left, in limited time; what a collector does not take by then is lost. */
  stop(): Promise<void>;
};

const STOP_WITHIN_MS = 5_000;

/**
 * Collects spans and sends them by OTLP, where OpenTelemetry's own variables say where to:
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 *
 * @param process the name of the process, where `OTEL_SERVICE_NAME` has none
 * @param logger is told of spans that cannot be sent
 * @returns undefined where nobody asks for spans; then nothing is loaded for them
 */
export async function startTracing(process: string, logger: Logger): Promise<Tracing | undefined> {
  const environment = foreignEnvironment();
  if (!isWanted(environment)) return undefined;
  const [{ BatchSpanProcessor, BasicTracerProvider }, { OTLPTraceExporter }, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const named = resources.resourceFromAttributes({ 'service.name': `airline-${process}` });
  const given = resources.detectResources({ detectors: [resources.envDetector] });
  const provider = new BasicTracerProvider({
    resource: resources.defaultResource().merge(named).merge(given),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  trace.setGlobalTracerProvider(provider);
  const warn = (reason: string) => logger.warn({ reason }, 'spans are lost');
  const ignore = () => {};
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.WARN,
  );
  return {
    stop: () =>
      withDeadline(provider.shutdown(), STOP_WITHIN_MS).catch((error: unknown) =>
        warn(String(error)),
      ),
  };
}

function isWanted(environment: Readonly<Record<string, string>>): boolean {
  const {
    OTEL_SDK_DISABLED: disabled,
    OTEL_TRACES_EXPORTER: exporter,
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesEndpoint,
  } = environment;
  return disabled !== 'true' && exporter !== 'none' && Boolean(endpoint ?? tracesEndpoint);
}
