import { createScriptGate } from '../../../stand-in/script/script-gate.ts';
import { openStandIn, type OwnStandIn } from '../../support/stand-in.ts';

const HELD = {
  '*': [
    { state: 'Currently building', untilReleased: true },
    { state: 'Gathering build output', untilReleased: 2 },
    { state: 'Uploading build', untilReleased: 2 },
    { state: 'Successfully built' },
  ],
};

let standIn: OwnStandIn;
beforeAll(async () => {
  standIn = await openStandIn({ script: { sources: { held: { builds: HELD } } } });
});
afterAll(() => standIn.close());

it('holds what waits until its source is released, and no longer than until it is aborted', async () => {
  const released = new Set(['free 1']);
  const gate = createScriptGate((source, release) => released.has(`${source} ${release}`), 5);
  const passed: string[] = [];
  const pass = (source: string, name: string, release = 1, signal = new AbortController().signal) =>
    gate.untilReleased(source, release, signal).then(() => passed.push(name));
  const abort = new AbortController();

  await pass('free', 'free');
  const held = [pass('held', 'first'), pass('held', 'second')];
  const aborted = pass('other', 'aborted', 1, abort.signal);
  abort.abort();
  await aborted;
  expect(passed).toEqual(['free', 'aborted']);

  const later = pass('held', 'later', 2);
  released.add('held 1');
  await Promise.all(held);
  expect(passed).toEqual(['free', 'aborted', 'first', 'second']);
  released.add('held 2');
  await later;
});

it('keeps a build in its state until the script releases its source', async () => {
  const source = await standIn.make({ name: 'held' });
  await standIn.upload(source.files);
  const publication = await standIn.publication(source);
  const before = await standIn.buildIn(publication, 'Currently building');
  expect(before['datebuilt']).toBeNull();

  standIn.play({ sources: { held: { builds: HELD, released: 1 } } });
  await standIn.buildIn(publication, 'Gathering build output');
  standIn.play({ sources: { held: { builds: HELD, released: true } } });
  await standIn.buildIn(publication, 'Successfully built');
});
