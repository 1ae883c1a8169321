import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../../domain/builds/build-workflow.ts';
import {
  addSearchAttributes,
  missingSearchAttributes,
} from '../../../main/config/search-attributes.ts';
import { hasPoller, temporalPart } from '../../../main/embedded/temporal.ts';
import { temporalAddress } from '../../support/addresses.ts';
import { besideProxy } from '../../support/scripted-temporal.ts';
import { registerNamespace } from '../../support/temporal-namespace.ts';
import { until } from '../../support/until.ts';

jest.setTimeout(600_000);

it('looks for pollers in Temporal itself, whatever proxy the environment names', async () => {
  const calls = await besideProxy(async (address) =>
    expect(await hasPoller({ address }, 'default', 'build-source', new Date())).toBe(false),
  );
  expect(calls).toContain('DescribeTaskQueue');
});

const partWith = ({ address = 'nowhere:1', namespace = 'default', durable = false }) =>
  temporalPart({
    directories: { state: '/nowhere', cache: '/nowhere' },
    port: Number(address.split(':')[1]),
    uiPort: 1,
    httpPort: 2,
    metricsPort: 3,
    namespace,
    account: undefined,
    durable,
    cli: () => '',
  });

it('asks its own server whether it is ready, whatever proxy the environment names', async () => {
  const calls = await besideProxy(async (address) => {
    const { isReady } = partWith({ address });
    expect(await isReady()).toBe(false);
  });
  expect(calls).toContain('ListSearchAttributes');
});

it('gives a namespace of an earlier version the search attributes that came since', async () => {
  const address = temporalAddress();
  const connection = await Connection.connect({ address });
  try {
    const namespace = await registerNamespace(connection);
    const { AirlineLandingPhase, ...earlier } = SEARCH_ATTRIBUTES;
    await addSearchAttributes(connection, namespace, earlier);
    const missing = () => missingSearchAttributes(connection, namespace);
    expect(await missing()).toEqual({ AirlineLandingPhase });

    await until('it is ready', partWith({ address, namespace }).isReady);
    expect(await missing()).toEqual({});
  } finally {
    await connection.close();
  }
});

it('collects its garbage less often where its data are thrown away', () => {
  const rareness = (durable: boolean) => partWith({ durable }).command().environment['GOGC'];
  expect([rareness(false), rareness(true)]).toEqual(['400', undefined]);
});
