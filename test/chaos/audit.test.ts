import { audit } from './audit.ts';
import type { EventRow, Evidence } from './evidence.ts';
import type { Delivery } from './progress-consumer.ts';
import { soundEvidence } from './sound-evidence.ts';

/** What the audit finds, one text for each violation, with the line that it stands on. */
function violationsOf(evidence: Evidence): string[] {
  return audit(evidence).flatMap(({ promise, violations }) =>
    violations.map(({ build, what }) => `${promise.trim()}: ${build}: ${what}`),
  );
}

function doctored(doctor: (evidence: Evidence) => void): string[] {
  const evidence = soundEvidence();
  doctor(evidence);
  return violationsOf(evidence);
}

const eventOf = ({ events }: Evidence, id: string): EventRow =>
  events.find(({ buildId, seq }) => `${buildId}:${seq}` === id) as EventRow;
const deliveryOf = ({ deliveries }: Evidence, id: string): Delivery =>
  deliveries.find(({ messageId }) => messageId === id) as Delivery;
const without = <T>(items: T[], item: T): T[] => items.filter((other) => other !== item);

it('finds nothing where all went well, and has looked at everything', () => {
  const findings = audit(soundEvidence());
  expect(findings.flatMap(({ violations }) => violations)).toEqual([]);
  expect(findings.filter(({ checked }) => checked === 0)).toEqual([]);
});

it('names a build that was never answered, that has no row, and that has two', () => {
  expect(
    doctored(({ landed, rows }) => {
      Object.assign(landed[0] as object, { lastError: 'no answer' });
      rows.push({ ...(rows[1] as Evidence['rows'][0]), id: 3, lastSeq: 0 });
      rows.splice(0, 1);
    }),
  ).toEqual(
    expect.arrayContaining([
      '1 every request is accepted once: build 1 (request 1, built): the lander was not answered in time',
      '1 every request is accepted once: build 1 (request 1, built): answered 202, and there is no such row',
      '1 every request is accepted once: build 2 (request 2, cancelled): one request made several builds',
    ]),
  );
});

it('names a build without a final event, and one with two', () => {
  expect(
    doctored((evidence) => {
      evidence.events = without(evidence.events, eventOf(evidence, '1:3'));
      evidence.events.push({ ...eventOf(evidence, '2:2'), seq: 3 });
    }),
  ).toEqual(
    expect.arrayContaining([
      '1 one final event ends each build: build 1 (request 1, built): no final event',
      '1 one final event ends each build: build 2 (request 2, cancelled): 2 final events',
    ]),
  );
});

it('names an event after the final one', () => {
  expect(
    doctored((evidence) => {
      evidence.events.push({ ...eventOf(evidence, '1:2'), seq: 4 });
    }),
  ).toContain(
    '1 one final event ends each build: build 1 (request 1, built): an event after the final one',
  );
});

it('names a final message that never came, and two that differ', () => {
  expect(
    doctored((evidence) => {
      const final = deliveryOf(evidence, '2:2');
      evidence.deliveries = without(evidence.deliveries, deliveryOf(evidence, '1:3'));
      evidence.deliveries.push({ ...final, messageId: '2:3' });
    }),
  ).toEqual(
    expect.arrayContaining([
      '1 one final message reaches the lander: build 1 (request 1, built): no final message came',
      '1 one final message reaches the lander: build 2 (request 2, cancelled): 2 final messages',
      '2 a repetition is the same message: build 2: message_id 2:3 is of another message',
    ]),
  );
});

it('names a gap in the rows, and an event that was not published', () => {
  expect(
    doctored((evidence) => {
      Object.assign(eventOf(evidence, '1:2'), { seq: 5 });
      Object.assign(eventOf(evidence, '2:1'), { isPublished: false });
    }),
  ).toEqual(
    expect.arrayContaining([
      '2 seq has no gap and all is published: build 1: the events are not 1 to 3',
      '2 seq has no gap and all is published: build 2: events were not published',
    ]),
  );
});

it('names messages out of order, and one that lacks', () => {
  expect(
    doctored((evidence) => {
      const started = deliveryOf(evidence, '1:1');
      evidence.deliveries = [...without(evidence.deliveries, started), started];
    }),
  ).toEqual(['2 messages come in order: build 1: the messages came not as 1 to 3']);
  expect(
    doctored((evidence) => {
      evidence.deliveries = without(evidence.deliveries, deliveryOf(evidence, '1:2'));
    }),
  ).toEqual(['2 messages come in order: build 1: the messages came not as 1 to 3']);
});

it('takes a repetition of the same message, and names one with another body', () => {
  expect(
    doctored(({ deliveries }) => {
      deliveries.push({ ...(deliveries[1] as Delivery), redelivered: true });
    }),
  ).toEqual([]);
  expect(
    doctored((evidence) => {
      const delivery = deliveryOf(evidence, '1:2');
      evidence.deliveries.push({ ...delivery, body: delivery.body.replace('00:00', '00:01') });
    }),
  ).toEqual([
    '2 a repetition is the same message: build 1: 1:2 came with two bodies',
    '2 a repetition is the same message: build 1: 1:2 is not what its row says',
  ]);
});

it('names a source that was taken twice', () => {
  expect(
    doctored(({ ppa }) => {
      ppa.sources.push({ ...(ppa.sources[0] as (typeof ppa.sources)[0]), id: 3, upload: 'other' });
    }),
  ).toEqual([
    '3 a source is taken at most once: ~airline/debian/chaos-1 chaos-built 1.0: was taken more than once',
    '3 no second complete upload: ~airline/debian/chaos-1 chaos-built: 2 complete uploads',
  ]);
});

it('names a second complete upload, and counts a refusal that was written twice as one', () => {
  const refusal = {
    ppa: '~airline/debian/chaos-1',
    source: 'chaos-built',
    upload: 'upload-ftp-9',
    why: 'The source chaos-built - 1.0 is already accepted in ~airline/debian/chaos-1/bookworm and you cannot upload the same version within the same distribution. You have to modify the source version and re-upload.',
  };
  expect(doctored(({ ppa }) => ppa.rejections.push(refusal))).toEqual([
    '3 no second complete upload: ~airline/debian/chaos-1 chaos-built: 2 complete uploads',
  ]);
  expect(
    doctored(({ ppa }) => {
      const only = { ...refusal, ppa: '~airline/debian/chaos-3', why: 'Not today.' };
      ppa.rejections.push(only, only);
    }),
  ).toEqual([]);
});

it('names a half upload, and one that the PPA could not process', () => {
  expect(
    doctored(({ ppa }) => {
      ppa.rejections.push({
        ppa: '~airline/debian/chaos-1',
        source: 'chaos-built',
        upload: 'upload-ftp-9',
        why: 'File chaos-built_1.0.tar.xz mentioned in the changes is not in the upload.',
      });
      ppa.unprocessed.push('upload-ftp-10');
    }),
  ).toEqual([
    '3 no half upload: ~airline/debian/chaos-1 chaos-built: a half upload',
    '3 no half upload: upload-ftp-10: the PPA did not process it',
  ]);
});

it.each([
  'the PPA did not end chaos on amd64 in time',
  'the PPA could not be asked in time to end chaos on amd64, which may go on there: it is away',
])('names a cancelled request whose build goes on, unless its final message says: %s', (why) => {
  const goOn = ({ ppa }: Evidence) =>
    Object.assign(ppa.builds[1] as object, { state: 'Currently building', isActive: true });
  expect(doctored(goOn)).toEqual([
    '4 what is cancelled stops in the PPA: build 2 (request 2, cancelled): was cancelled and goes on in the PPA',
  ]);
  expect(
    doctored((evidence) => {
      goOn(evidence);
      const { failure } = eventOf(evidence, '2:2');
      const message = `cancelled by the lander; ${why}`;
      Object.assign(failure as object, { message });
      Object.assign(deliveryOf(evidence, '2:2'), {
        body: JSON.stringify(eventOf(evidence, '2:2').body),
      });
    }),
  ).toEqual([]);
});

it('names a verdict that the PPA does not bear out', () => {
  expect(
    doctored(({ ppa }) => {
      Object.assign(ppa.builds[0] as object, { state: 'Failed to build' });
    }),
  ).toEqual([
    'the verdict is what the PPA shows: build 1 (request 1, built): the verdict is completed',
  ]);
});

it('names a request of two packages of which the PPA has taken and built one', () => {
  const askForTwo = ({ landed, ppa }: Evidence) => {
    Object.assign(landed[0] as object, { fate: 'pair' });
    Object.assign(ppa.sources[0] as object, { source: 'chaos-one' });
    Object.assign(ppa.builds[0] as object, { source: 'chaos-one' });
    const other = { source: 'chaos-other' };
    return {
      source: { ...(ppa.sources[0] as (typeof ppa.sources)[0]), ...other },
      build: { ...(ppa.builds[0] as (typeof ppa.builds)[0]), ...other },
    };
  };
  const half = [
    'the verdict is what the PPA shows: build 1 (request 1, pair): the verdict is completed',
  ];
  expect(doctored(askForTwo)).toEqual(half);
  expect(doctored((evidence) => evidence.ppa.sources.push(askForTwo(evidence).source))).toEqual(
    half,
  );
  expect(
    doctored((evidence) => {
      const { source, build } = askForTwo(evidence);
      evidence.ppa.sources.push(source);
      evidence.ppa.builds.push(build);
    }),
  ).toEqual([]);
});

it('names a message that came in the queue of another: of a build, of a landing and of its build', () => {
  expect(
    doctored((evidence) => {
      evidence.rows.push({ ...(evidence.rows[0] as Evidence['rows'][0]), id: 3, ticketId: 1 });
      evidence.rows[2] = { ...(evidence.rows[2] as Evidence['rows'][0]), ppa: 'of a landing' };
      const ofItsBuild = { ...deliveryOf(evidence, '1:1'), messageId: '3:1' };
      evidence.deliveries.push({
        ...ofItsBuild,
        queue: 'chaos-2',
        body: ofItsBuild.body.replace('"build_id":1', '"build_id":3'),
      });
      Object.assign(deliveryOf(evidence, '1:2'), { queue: 'chaos-2' });
      Object.assign(evidence.landings.deliveries[0] as object, { queue: 'chaos-2' });
    }).filter((line) => line.startsWith('2 messages come in the queue')),
  ).toEqual(
    ['1:2', '3:1', 'landing:1:1'].map(
      (id) =>
        `2 messages come in the queue that was named: ${id}: came in chaos-2, and its request names chaos-1`,
    ),
  );
});

it('takes upload_failed where the PPA lacks a package, and names it where the PPA has all', () => {
  const failUpload = (evidence: Evidence) => {
    const final = eventOf(evidence, '1:3');
    const failure = {
      class: 'upload_failed',
      retryable: true,
      message: 'broke off',
      hint: '',
    } as const;
    Object.assign(final, { message: 'FAILURE', failure });
    Object.assign(final.body as object, { message: 'FAILURE', failure });
    Object.assign(deliveryOf(evidence, '1:3'), { body: JSON.stringify(final.body) });
  };
  expect(doctored(failUpload)).toEqual([
    'the verdict is what the PPA shows: build 1 (request 1, built): the verdict is upload_failed',
  ]);
  expect(
    doctored((evidence) => {
      failUpload(evidence);
      evidence.ppa.sources.shift();
    }),
  ).toEqual([]);
});

it('names a workflow that runs, one whose tasks failed, a build without one, and a part that is away', () => {
  expect(
    doctored((evidence) => {
      Object.assign(evidence.workflows[0] as object, {
        status: 'RUNNING',
        failedTasks: ['NON_DETERMINISTIC_ERROR'],
      });
      evidence.workflows.splice(1, 1);
      evidence.absentParts = ['api-2'];
    }),
  ).toEqual([
    'each workflow ends, by its own code: build 1: build-1-ticket-1-chaos is RUNNING',
    'each workflow ends, by its own code: build 1: build-1-ticket-1-chaos had failed workflow tasks',
    'each workflow ends, by its own code: build 2: has no workflow',
    'every part is back at the end: api-2: is not up',
  ]);
});

it('takes it that a build has no workflow that was cancelled before it had one', () => {
  expect(
    doctored((evidence) => {
      evidence.workflows.splice(1, 1);
      const { failure, body } = eventOf(evidence, '2:2');
      const message = 'cancelled by the lander; its workflow was not started';
      Object.assign(failure as object, { message });
      Object.assign(deliveryOf(evidence, '2:2'), { body: JSON.stringify(body) });
    }),
  ).toEqual([]);
});

it('names an activity that a deploy made repeat, where nothing was killed', () => {
  const repeat = ({ workflows }: Evidence) =>
    workflows[0]?.repeatedActivities.push('uploadSource try 2: heartbeat timeout');
  expect(doctored(repeat)).toEqual([
    'no activity had to be repeated: build 1: an activity was tried again',
  ]);
  expect(
    doctored((evidence) => {
      repeat(evidence);
      evidence.isPeaceful = false;
    }),
  ).toEqual([]);
});
