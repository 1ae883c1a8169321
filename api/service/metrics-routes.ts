import type { Operation } from '../http/operation.ts';

/** GET /metrics: what the API has counted and measured. */
export const metricsOperation: Operation = {
  method: 'get',
  path: '/metrics',
  summary: 'What was counted and measured, for Prometheus',
  scope: 'read',
  isVolatile: true,
  answers: {
    200: { description: 'In the text format of Prometheus.', mediaType: 'text/plain' },
  },
  errors: [],
  handle: async (ctx, { metrics }) => {
    const { text, mediaType } = await metrics.read();
    ctx.body = text;
    ctx.set('Content-Type', mediaType);
  },
};
