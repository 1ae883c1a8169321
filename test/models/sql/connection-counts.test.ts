import { setImmediate } from 'node:timers/promises';
import { Sequelize } from 'sequelize';
import { countConnections } from '../../../models/sql/connection-counts.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';

const ACQUIRE_TIMEOUT_MS = 10_000;

describe('the counts of connections', () => {
  let nowMs: number;
  beforeEach(() => {
    nowMs = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => jest.restoreAllMocks());

  /** The counts of a database that nobody connects to. */
  function count() {
    const sequelize = new Sequelize('postgres://127.0.0.1/none', { logging: false });
    const counts = countConnections(sequelize, ACQUIRE_TIMEOUT_MS);
    // Sequelize's types have not what its pool calls.
    const { runHooks } = sequelize as unknown as {
      runHooks: (hook: string, options: object) => Promise<void>;
    };
    const ask = (options: object) => runHooks.call(sequelize, 'beforePoolAcquire', options);
    return { counts, ask };
  }

  it('have those who wait, until they are refused', async () => {
    const { counts, ask } = count();
    await ask({});
    nowMs += ACQUIRE_TIMEOUT_MS;
    await ask({});
    expect(counts()).toEqual({ busy: 0, idle: 0, awaited: 2 });
    nowMs += 1;
    expect(counts()).toEqual({ busy: 0, idle: 0, awaited: 1 });
  });

  it('keep nothing of those who were refused, though nobody reads them', async () => {
    const { ask } = count();
    const refused = await (async () => {
      const options = {};
      await ask(options);
      return new WeakRef(options);
    })();
    nowMs += ACQUIRE_TIMEOUT_MS + 1;
    await ask({});
    // To make a WeakRef, or to read it, keeps its object until the work in hand is done.
    await setImmediate();
    collectGarbage();
    expect(refused.deref()).toBeUndefined();
  });
});
