import { createScriptGate } from '../../../stand-in/script/script-gate.ts';
import { openStandIn, type OwnStandIn } from '../../support/stand-in.ts';

const HELD = {
  '*': [
    { state: 'Currently building', untilReleased: true },
    { state: 'Gathering build output', untilReleased: true },
    { state: 'Successfully built' },
  ],
};

let standIn: OwnStandIn;
beforeAll(async () => {
  standIn = await openStandIn({ script: { sources: { held: { builds: HELD } } } });
});
afterAll(() => standIn.close());

it('holds what waits until its source is released, and no longer than until it is aborted', async () => {
  const released = new Set(['free']);
  const gate = createScriptGate((source) => released.has(source), 5);
  const passed: string[] = [];
  const pass = (source: string, name: string, signal = new AbortController().signal) =>
    gate.untilReleased(source, signal).then(() => passed.push(name));
  const abort = new AbortController();

  await pass('free', 'free');
  const held = [pass('held', 'first'), pass('held', 'second')];
  const aborted = pass('other', 'aborted', abort.signal);
  abort.abort();
  await aborted;
  expect(passed).toEqual(['free', 'aborted']);

  released.add('held');
  await Promise.all(held);
  expect(passed).toEqual(['free', 'aborted', 'first', 'second']);
});

it('keeps a build in its state until the script releases its source', async () => {
  const source = await standIn.make({ name: 'held' });
  await standIn.upload(source.files);
  const publication = await standIn.publication(source);
  const before = await standIn.buildIn(publication, 'Currently building');
  expect(before['datebuilt']).toBeNull();

  standIn.play({ sources: { held: { builds: HELD, released: true } } });
  await standIn.buildIn(publication, 'Successfully built');
});
