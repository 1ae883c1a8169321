import { pollTargets } from '../../../activities/landing/poll-targets.ts';
import { PpaAnswerError, PpaUnavailableError } from '../../../ppa/web-service.ts';
import { archivesInMemory, IN_PPA, IN_TARGET, PPA, SOURCE, TARGET } from './archives-in-memory.ts';

const OLD = { self_link: 'https://api/debian/bookworm/+upload/1', status: 'Rejected' };
const INPUT = {
  ppa: PPA,
  target: TARGET,
  packages: [
    { source: SOURCE, version: '1.2' },
    { source: SOURCE, version: '1.3' },
  ],
  seenUploads: {},
};

test('each package is asked for, with what the queue had of it before', async () => {
  const ppaClient = archivesInMemory([IN_TARGET, IN_PPA], [OLD]);
  const published = { source: SOURCE, isPublished: true };
  const missing = { source: SOURCE, isPublished: false };
  expect(await pollTargets({ ppaClient })(INPUT)).toEqual([
    published,
    { ...missing, held: 'Rejected' },
  ]);
  const seenUploads = { [SOURCE]: OLD.self_link };
  expect(await pollTargets({ ppaClient })({ ...INPUT, seenUploads })).toEqual([published, missing]);
});

describe('a package of which the target cannot say it', () => {
  const failingFor = (versions: readonly string[], error: Error) => {
    const ppaClient = archivesInMemory([IN_TARGET, IN_PPA]);
    const { publishedSource } = ppaClient;
    ppaClient.publishedSource = async (place) => {
      if (versions.includes(place.version)) throw error;
      return publishedSource(place);
    };
    return pollTargets({ ppaClient })(INPUT);
  };

  test.each([new PpaAnswerError(500, 'no such thing'), new PpaUnavailableError('no such thing')])(
    'keeps nobody from knowing of the others: %s',
    async (error) => {
      expect(await failingFor(['1.3'], error)).toEqual([
        { source: SOURCE, isPublished: true },
        { source: SOURCE, isPublished: false, fault: expect.stringContaining('no such thing') },
      ]);
    },
  );

  test('has all asked again where it is so of all', async () => {
    const odd = new PpaAnswerError(500, 'no such thing');
    await expect(failingFor(['1.2', '1.3'], odd)).rejects.toBe(odd);
    const away = new PpaUnavailableError('it does not answer');
    await expect(failingFor(['1.2', '1.3'], away)).rejects.toBe(away);
  });
});
