import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { MockActivityEnvironment } from '@temporalio/testing';
import { checkSources } from '../../activities/check-sources.ts';
import { mergeProposal } from '../../activities/merge-proposal.ts';
import type { Merge } from '../../domain/builds/build-request.ts';
import { fileNameOfUrl } from '../../domain/packages/source-file.ts';
import { TOOL_ENVIRONMENT } from '../../sandbox/command.ts';
import { createFileStore } from '../../store/file.ts';
import { useDatabase } from '../models/use-database.ts';
import { addBuild, addTicket, TESTS } from '../support/rows.ts';
import {
  packaging,
  startGitServer,
  type Files,
  type GitServer,
  type ServedRepository,
} from '../support/git-server.ts';
import { makeKeyOfGnupg, type KeyOfGnupg } from '../support/signing-key.ts';
import { TEST_SOURCES } from '../support/test-sources.ts';
import { codeOf, keepLog, runActivity } from './activity.ts';

const database = useDatabase();
const PROOF = '/tmp/airline-proof-rules';

let directory: string;
let key: KeyOfGnupg;
let server: GitServer;
let deps: Parameters<typeof mergeProposal>[0];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'merge-test-'));
  key = await makeKeyOfGnupg();
  server = await startGitServer();
});
afterAll(async () => {
  await server.close();
  await key.remove();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(() => {
  server.answerBy(undefined);
  deps = {
    sources: {
      ...TEST_SOURCES,
      rule: { ...TEST_SOURCES.rule, storeUrl: 'http://store' },
      maxBytes: 5_000_000,
    },
    signing: { keyId: key.fingerprint, gnupgHome: key.gnupgHome },
    store: createFileStore({ directory: join(directory, 'store'), baseUrl: 'http://store' }),
    database: database.now,
    cancelUrlTimeoutMs: 5_000,
    logger: keepLog().logger,
  };
});

/** A build of a merge proposal, of a repository with `main` and `fix` on top of it. */
async function proposed(
  name: string,
  main: Files,
  fix: Files,
  fields: Partial<Merge> = {},
  prepare: (commit: Awaited<ReturnType<GitServer['make']>>) => Promise<unknown> = async () => 0,
) {
  const repository = await server.make(name);
  await repository.commit('main', main);
  await prepare(repository);
  await repository.commit('fix', fix, 'main');
  const merge: Merge = {
    merge_proposal: '',
    source_repository: repository.url,
    source_branch: 'fix',
    target_repository: repository.url,
    target_branch: 'main',
    packaging_branch: '',
    ...fields,
  };
  const { Person, Branch, MergeProposal, Subticket } = database.now;
  const { id: ownerId } = await Person.createOne({ name: 'Ada', email: 'ada@example.org' }, TESTS);
  const branch = await Branch.createOne(
    { uniqueName: name, ownerId, type: 'regular', projectId: null },
    TESTS,
  );
  const proposal = await MergeProposal.createOne(
    { branchId: branch.id, submitterId: ownerId, status: 'approved' },
    TESTS,
  );
  const ticket = await addTicket(database.now);
  const subticket = await Subticket.createOne(
    {
      ticketId: ticket.id,
      sourcePackageUploadId: null,
      mergeProposalId: proposal.id,
      assignee: '',
    },
    TESTS,
  );
  const request = () =>
    addBuild(database.now, {
      ticketId: ticket.id,
      subticketId: subticket.id,
      sourcePackages: [],
      merge,
      ppa: 'ppa:airline/test',
    });
  const build = await request();
  return {
    repository,
    merge,
    build,
    request,
    commit: async (ref: string) => (await repository.git('rev-parse', ref)).trim(),
    make: (buildId = build.id, options: Parameters<typeof runActivity>[2] = {}) =>
      runActivity(mergeProposal(deps), { buildId, merge }, options),
    /** What became of it. */
    shown: async () => ({
      ticket: await ticket.reload(),
      subticket: await subticket.reload(),
      proposal: await proposal.reload(),
      build: await build.reload(),
    }),
  };
}

/** The URLs of what the data store has of a source. */
async function storedOf(source: string): Promise<string[]> {
  const { store } = deps;
  const urls: string[] = [];
  for await (const { key: file } of store.list('proposals/'))
    if (fileNameOfUrl(file).startsWith(`${source}_`)) urls.push(store.urlOf(file));
  return urls;
}

/** Holds the next try at the point where it is about to keep what it has come to. */
function holdBeforeKept(): { reached: Promise<void>; release: () => void } {
  const { sequelize } = database.now;
  const begin = sequelize.transaction.bind(sequelize);
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const spy = jest.spyOn(sequelize, 'transaction') as jest.SpyInstance;
  const reached = new Promise<void>((resolve) =>
    spy.mockImplementationOnce(async (run: Parameters<typeof begin>[0]) => {
      spy.mockRestore();
      resolve();
      await released;
      return begin(run);
    }),
  );
  return { reached, release };
}

/**
 * Holds the first git that tools run with such arguments.
 *
 * @param words that its arguments have in them
 * @param scenario `reached`: it is held
 */
async function whileGitIsHeld(
  words: string,
  scenario: (held: { reached: Promise<unknown>; release: () => Promise<void> }) => Promise<void>,
): Promise<void> {
  const programs = await mkdtemp(join(directory, 'programs-'));
  const [said, gate] = [join(programs, 'said'), join(programs, 'gate')];
  await promisify(execFile)('mkfifo', [said, gate]);
  const usual = TOOL_ENVIRONMENT.PATH;
  const held = `if mkdir '${programs}/held' 2>/dev/null; then echo >'${said}'; read -r _ <'${gate}'; fi`;
  await writeFile(
    join(programs, 'git'),
    `#!/bin/sh\ncase "$*" in *'${words}'*) ${held} ;; esac\nPATH='${usual}'\nexec git "$@"\n`,
    { mode: 0o755 },
  );
  TOOL_ENVIRONMENT.PATH = `${programs}:${usual}`;
  let isReleased = false;
  const release = async () => {
    if (!isReleased) await writeFile(gate, '\n');
    isReleased = true;
  };
  const reached = readFile(said);
  try {
    await scenario({ reached, release });
  } finally {
    TOOL_ENVIRONMENT.PATH = usual;
    await release();
  }
}

const stored = async (url: string) => {
  const file = await deps.store.get(deps.store.keyOf(url) ?? '');
  if (!file) throw new Error(`${url} is not stored`);
  return text(file.stream);
};
const sum = async (urls: readonly string[]) => {
  const hash = createHash('sha256');
  for (const url of urls) hash.update(await stored(url));
  return hash.digest('hex');
};

describe('a merge proposal', () => {
  it('becomes a signed source package, its upload and its artifacts', async () => {
    const one = await proposed('plain', packaging('plain', '1.1', { 'a.c': 'a\n' }), {
      'b.c': 'b\n',
    });
    // The target has moved on: both changes are in the source.
    await one.repository.commit('main', { 'c.c': 'c\n' });
    const { sourcePackages } = await one.make();
    const names = sourcePackages.map(fileNameOfUrl);
    expect(names).toEqual(['plain_1.1.dsc', 'plain_1.1.tar.xz', 'plain_1.1_source.changes']);
    const { subticket, proposal, build } = await one.shown();
    expect(build).toMatchObject({ sourcePackages, packageNames: ['plain'] });
    const commits = { source: await one.commit('fix'), target: await one.commit('main') };
    expect(build.merge).toEqual({
      ...one.merge,
      commits: { ...commits, packaging: null, upstream: null },
    });
    expect(proposal.status).toBe('approved');
    const { SourcePackageUpload, SourcePackage, SubticketArtifact } = database.now;
    const upload = await SourcePackageUpload.findByPk(subticket.sourcePackageUploadId ?? 0);
    expect(upload).toMatchObject({ version: '1.1' });
    expect(await SourcePackage.findByPk(upload?.sourcePackageId)).toMatchObject({ name: 'plain' });
    const artifacts = await SubticketArtifact.findAll({ where: { subticketId: subticket.id } });
    expect(artifacts.map(({ name, type }) => `${type} ${name}`)).toEqual(
      names.map((name) => `SPU ${name}`),
    );
    // It is checked and built as any other.
    const [checked] = await runActivity(checkSources(deps), { sourcePackages, buildId: build.id });
    expect(checked).toMatchObject({ source: 'plain', version: '1.1' });
    expect(await stored(sourcePackages.at(-1) ?? '')).toMatch(/^-----BEGIN PGP SIGNED MESSAGE/);
    expect(existsSync(PROOF)).toBe(false);
  });

  it('is signed without a command being run that a field of its debian/control has', async () => {
    const proof = join(directory, 'proof-of-field');
    const files = packaging('fielded', '2.0');
    const note = `XC-Note: $(touch\${IFS}${proof})fielded_2.0.buildinfo`;
    const control = files['debian/control'] as string;
    const one = await proposed('fielded', files, {
      'debian/control': control.replace('Section:', `${note}\nSection:`),
    });
    const making = one.make();
    await Promise.allSettled([making]);
    expect(existsSync(proof)).toBe(false);
    const changes = await stored((await making).sourcePackages.at(-1) ?? '');
    expect(changes).toMatch(/^-----BEGIN PGP SIGNED MESSAGE/);
    expect(changes).toContain('\nNote: $(touch');
  });

  it('gives the same files to a later try and to a later build of the same commits', async () => {
    const one = await proposed('same', packaging('same', '1.0'), { 'b.c': 'b\n' });
    const first = await one.make();
    const before = await sum(first.sourcePackages);
    expect(await one.make()).toEqual(first);
    await one.build.update({ finishedAt: new Date() });
    const later = await one.request();
    expect(await one.make(later.id)).toEqual(first);
    const source = await one.commit('fix');
    expect((await later.reload()).merge).toMatchObject({ commits: { source } });
    expect(await sum(first.sourcePackages)).toBe(before);
    const { subticket } = await one.shown();
    const where = { subticketId: subticket.id };
    expect(await database.now.SubticketArtifact.count({ where })).toBe(first.sourcePackages.length);
    const uploads = { where: { version: '1.0' }, include: 'sourcePackage' };
    const found = await database.now.SourcePackageUpload.findAll(uploads);
    expect(found).toHaveLength(1);
  });

  it('has the files of one try, where another that was thought dead goes on beside it', async () => {
    const one = await proposed('twice', packaging('twice', '1.0'), { 'b.c': 'b\n' });
    const { store } = deps;
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let holding = () => {};
    const held = new Promise<void>((resolve) => (holding = resolve));
    deps.store = {
      ...store,
      put: async (key, ...more) => {
        if (key.endsWith('.tar.xz')) {
          holding();
          await released;
        }
        return store.put(key, ...more);
      },
    };
    const frozen = one.make();
    await held;
    deps.store = store;
    const second = await one.make();
    release();
    expect(await frozen).toEqual(second);
    const { sourcePackages } = second;
    const checked = runActivity(checkSources(deps), { sourcePackages, buildId: one.build.id });
    expect(await checked).toMatchObject([{ source: 'twice', version: '1.0' }]);
    expect(new Set(await storedOf('twice'))).toEqual(new Set(sourcePackages));
  });

  it.each([
    ['that conflict', { 'a.c': 'theirs\n' }],
    ['that merge', { 'c.c': 'c\n' }],
  ])(
    'stays what a later try has made of it, where one that was given up ends with older commits %s',
    async (commits, main) => {
      const name = commits.replace(' ', '-');
      const changelog = 'debian/changelog';
      const [older, later] = ['1.0', '1.1'].map((version) => packaging(name, version));
      const one = await proposed(name, { ...older, 'a.c': 'a\n' }, { 'a.c': 'mine\n' });
      await one.repository.commit('main', main);
      const held = holdBeforeKept();
      const givenUp = one.make(one.build.id, {
        onConfirm: async () => {
          throw new Error('activity not found');
        },
      });
      await held.reached;
      await one.repository.git('checkout', '--quiet', 'fix');
      await one.repository.git('merge', '--quiet', '--strategy=ours', '--message=mine', 'main');
      await one.repository.commit('fix', { [changelog]: later?.[changelog] ?? '' });
      const { sourcePackages } = await one.make();
      held.release();
      await expect(givenUp).rejects.toThrow('activity not found');

      const { subticket, proposal, build } = await one.shown();
      expect(build).toMatchObject({ sourcePackages });
      expect(subticket).toMatchObject({ currentWorkflowStep: 100, failedAtStep: null });
      const { SourcePackageUpload } = database.now;
      const upload = await SourcePackageUpload.findByPk(subticket.sourcePackageUploadId ?? 0);
      expect(upload?.version).toBe('1.1');
      expect(proposal.status).toBe('approved');
    },
  );

  it('is made and signed anew where another key signs by then', async () => {
    const one = await proposed('rekeyed', packaging('rekeyed', '1.0'), { 'b.c': 'b\n' });
    const first = await one.make();
    const before = await sum(first.sourcePackages);
    const second = await makeKeyOfGnupg();
    try {
      deps.signing = { keyId: second.fingerprint, gnupgHome: second.gnupgHome };
      const { sourcePackages } = await one.make();
      const [checked] = await runActivity(checkSources(deps), {
        sourcePackages,
        buildId: one.build.id,
      });
      expect(checked?.signer?.key).toBe(second.fingerprint);
      // What an earlier build has of it stays, and a PPA that has it takes this for the same.
      expect(await sum(first.sourcePackages)).toBe(before);
      const tarball = ({ sourcePackages: urls }: typeof first) =>
        sum(urls.filter((url) => url.endsWith('.tar.xz')));
      expect(await tarball({ sourcePackages })).toBe(await tarball(first));
    } finally {
      await second.remove();
    }
  });

  it('has its upstream tarball from the tag of the upstream version, its debian from another branch', async () => {
    const one = await proposed(
      'layered',
      { 'a.c': 'a\n' },
      { 'debian/rules': 'not this one\n' },
      { packaging_branch: 'debian/main' },
      async (repository) => {
        await repository.git('tag', 'upstream/1.0_rc1');
        await repository.commit('debian/main', packaging('layered', '1:1.0~rc1-1'), 'main');
      },
    );
    const { sourcePackages } = await one.make();
    expect(sourcePackages.map(fileNameOfUrl)).toEqual([
      'layered_1.0~rc1-1.debian.tar.xz',
      'layered_1.0~rc1-1.dsc',
      'layered_1.0~rc1.orig.tar.gz',
      'layered_1.0~rc1-1_source.changes',
    ]);
    const [checked] = await runActivity(checkSources(deps), {
      sourcePackages,
      buildId: one.build.id,
    });
    expect(checked?.files).toHaveLength(4);
    expect((await one.shown()).build.merge?.commits).toMatchObject({
      packaging: await one.commit('debian/main'),
      upstream: await one.commit('upstream/1.0_rc1'),
    });
  });

  it('has the upstream tarball of its own repository, and of the tag as it is now', async () => {
    const tagged = (name: string, upstream: Files) =>
      proposed(
        name,
        packaging('twin', '1.0-1', { 'a.c': 'a\n' }),
        { 'debian/rules': '#!/bin/sh\n' },
        {},
        async (repository) => {
          await repository.commit('upstream', { debian: null, ...upstream }, 'main');
          await repository.git('tag', 'upstream/1.0');
        },
      );
    const fork = await tagged('twin-fork', { 'more.c': 'more\n' });
    const official = await tagged('twin-official', {});
    const commits = async ({ repository }: typeof fork) =>
      repository.git('rev-parse', 'main', 'fix');
    expect(await commits(official)).toBe(await commits(fork));

    const tarballOf = ({ sourcePackages }: { sourcePackages: string[] }) =>
      sourcePackages.filter((url) => url.endsWith('.orig.tar.gz'));
    const forked = tarballOf(await fork.make());
    const own = tarballOf(await official.make());
    expect(own).not.toEqual(forked);
    expect(await sum(own)).not.toBe(await sum(forked));

    await fork.repository.commit('upstream', { 'more.c': 'mended\n' });
    await fork.repository.git('tag', '--force', 'upstream/1.0');
    const mended = tarballOf(await fork.make());
    expect(mended).not.toEqual(forked);
    expect(await sum(mended)).not.toBe(await sum(forked));
  });

  it('has its debian from the target branch, named as the packaging branch, that has moved on', async () => {
    const one = await proposed(
      'moved-on',
      packaging('moved-on', '1.0'),
      { 'b.c': 'b\n' },
      { packaging_branch: 'main' },
    );
    await one.repository.commit('main', { 'c.c': 'c\n' });
    expect((await one.make()).sourcePackages).toHaveLength(3);
  });

  it.each([
    ['was never made', false],
    ['was made before', true],
  ])(
    'that conflicts and %s fails with the files named, and goes on once it merges',
    async (_, isMade) => {
      const name = isMade ? 'torn-later' : 'torn';
      const one = await proposed(name, packaging(name, '1.0', { 'a.c': 'a\n', 'b.c': 'b\n' }), {
        'a.c': 'mine\n',
        'b.c': 'mine\n',
      });
      if (isMade) await one.make();
      await one.repository.commit('main', { 'a.c': 'theirs\n', 'b.c': 'theirs\n' });
      expect(await codeOf(one.make())).toBe('merge_conflict');
      const failed = await one.shown();
      expect(failed.subticket).toMatchObject({
        currentWorkflowStep: 999,
        failedAtStep: 100,
        failureReason: 'The branch does not merge: conflicts in a.c, b.c',
        sourcePackageUploadId: null,
      });
      expect(failed.ticket).toMatchObject({ currentWorkflowStep: 999, failedInMerge: true });
      expect(failed.proposal.status).toBe('needs_review');

      await one.repository.git('checkout', '--quiet', 'fix');
      await one.repository.git('merge', '--quiet', '--strategy=ours', '--message=mine', 'main');
      await one.make();
      const mended = await one.shown();
      expect(mended.subticket).toMatchObject({
        currentWorkflowStep: 100,
        failedAtStep: null,
        sourcePackageUploadId: expect.any(Number),
      });
      expect(mended.ticket).toMatchObject({ currentWorkflowStep: 100, failedInMerge: false });
    },
  );
});

describe('what was decided while a proposal is merged', () => {
  const conflicting = async (name: string) => {
    const one = await proposed(name, packaging(name, '1.0', { 'a.c': 'a\n' }), {
      'a.c': 'mine\n',
    });
    await one.repository.commit('main', { 'a.c': 'theirs\n' });
    return one;
  };

  it('stays where it conflicts: a rejection', async () => {
    const one = await conflicting('rejected');
    const { proposal } = await one.shown();
    await database.now.MergeProposal.updateOne(proposal.id, { status: 'rejected' }, TESTS);
    expect(await codeOf(one.make())).toBe('merge_conflict');
    const failed = await one.shown();
    expect(failed.subticket.currentWorkflowStep).toBe(999);
    expect(failed.proposal.status).toBe('rejected');
  });

  it('stays where it conflicts: a Complete subticket, whose proposal is merged', async () => {
    const one = await conflicting('complete');
    const { subticket } = await one.shown();
    const complete = { currentWorkflowStep: 1000, status: 1000 } as const;
    await database.now.Subticket.updateOne(subticket.id, complete, TESTS);
    expect(await codeOf(one.make())).toBe('merge_conflict');
    const after = await one.shown();
    expect(after.subticket.currentWorkflowStep).toBe(1000);
    expect(after.proposal.status).toBe('merged');
  });

  it('stays where it merges: that somebody wants none of what a merge has failed', async () => {
    const one = await conflicting('given-up');
    expect(await codeOf(one.make())).toBe('merge_conflict');
    const { subticket } = await one.shown();
    const givenUp = { currentWorkflowStep: 100, status: 999 } as const;
    const byLead = { ...TESTS, reason: 'not wanted' };
    await database.now.Subticket.updateOne(subticket.id, givenUp, byLead);
    await one.repository.git('checkout', '--quiet', 'fix');
    await one.repository.git('merge', '--quiet', '--strategy=ours', '--message=mine', 'main');
    await one.make();
    const after = await one.shown();
    expect(after.subticket).toMatchObject({
      ...givenUp,
      failedAtStep: 100,
      failureReason: 'not wanted',
      sourcePackageUploadId: expect.any(Number),
    });
  });

  it('stays where it merges: that somebody has failed its subticket', async () => {
    const one = await proposed('unwanted', packaging('unwanted', '1.0'), { 'b.c': 'b\n' });
    const { subticket } = await one.shown();
    const held = holdBeforeKept();
    const merging = one.make();
    await held.reached;
    const failed = { currentWorkflowStep: 999, status: 999 } as const;
    const byLead = { ...TESTS, reason: 'not wanted' };
    await database.now.Subticket.updateOne(subticket.id, failed, byLead);
    held.release();
    await merging;
    const after = await one.shown();
    expect(after.subticket).toMatchObject({
      ...failed,
      failureReason: 'not wanted',
      sourcePackageUploadId: expect.any(Number),
    });
    expect(after.ticket).toMatchObject(failed);
  });
});

describe('what cannot be merged or made', () => {
  it.each<[string, Files, Partial<Merge>, string, RegExp]>([
    ['no branch', {}, { source_branch: 'gone' }, 'merge_not_possible', /has no branch gone/],
    ['no repository', {}, { target_repository: '/nothing.git' }, 'merge_not_possible', /not found/],
    ['no debian', { debian: null }, {}, 'source_not_made', /no folder debian/],
    ['no tag', packaging('xy', '1.0-1'), {}, 'source_not_made', /tags upstream\/1\.0, v1\.0, 1\.0/],
    [
      'another format',
      { 'debian/source/format': '3.0 (git)\n' },
      {},
      'source_not_made',
      /3.0 \(git\)/,
    ],
    ['no changelog', { 'debian/changelog': 'x\n' }, {}, 'source_not_made', /changelog/],
    ['a wrong control', { 'debian/control': 'x\n' }, {}, 'source_not_made', /dpkg-source/],
    [
      'a link to /etc',
      { 'debian/control': { linkTo: '/etc/passwd' } },
      {},
      'source_not_made',
      /debian\/control is a link that leads out/,
    ],
    [
      'debian elsewhere',
      { debian: { linkTo: '../../../../etc' } },
      {},
      'source_not_made',
      /debian is a link|no folder debian/,
    ],
    [
      'debian/source elsewhere',
      { 'debian/source': { linkTo: '../s' }, 's/format': { linkTo: '/etc/passwd' } },
      {},
      'source_not_made',
      /: debian\/source is a link$/,
    ],
  ])('is refused: %s', async (name, fix, fields, code, why) => {
    const { target_repository: path } = fields;
    const at = path ? { target_repository: `http://127.0.0.1:${server.port}${path}` } : {};
    const one = await proposed(name.replaceAll(/\W/g, '-'), packaging('xy', '1.0'), fix, {
      ...fields,
      ...at,
    });
    const outcome = one.make();
    expect(await codeOf(outcome)).toBe(code);
    await expect(outcome).rejects.toThrow(why);
    expect((await one.shown()).subticket.failureReason).toMatch(why);
  });

  it.each([
    ['is merged already', ['merge', '--quiet', 'fix']],
    ['another commit has made the same change', ['cherry-pick', 'fix']],
  ])(
    'is refused: nothing to merge, as the branch %s; what was made of it before stays',
    async (why, command) => {
      const name = why.replaceAll(' ', '-');
      // A fast-forward is something.
      const one = await proposed(name, packaging(name, '1.0'), { 'b.c': 'b\n' });
      expect((await one.make()).sourcePackages).toHaveLength(3);
      const { subticket: before } = await one.shown();
      const upload = before.sourcePackageUploadId;

      await one.repository.commit('main', { 'c.c': 'c\n' });
      await one.repository.git(...command);
      const outcome = one.make();
      expect(await codeOf(outcome)).toBe('nothing_to_merge');
      await expect(outcome).rejects.toThrow(/^There is nothing to merge/);
      const { subticket, proposal } = await one.shown();
      expect(subticket).toMatchObject({ currentWorkflowStep: 100, failedAtStep: null });
      expect([subticket.sourcePackageUploadId, proposal.status]).toEqual([upload, 'approved']);
    },
  );

  it.each<[string, (git: GitServer, repository: ServedRepository) => Promise<unknown> | void]>([
    [
      'was deleted as it was merged',
      async (_, { git }) => {
        await git('checkout', '--quiet', 'main');
        await git('merge', '--quiet', 'fix');
        await git('branch', '--delete', 'fix');
      },
    ],
    ['is refused for a while', ({ answerBy }) => answerBy((it) => it.writeHead(403).end())],
  ])('cannot be had, as the branch %s: what was made of it before stays', async (why, lose) => {
    const name = why.replaceAll(' ', '-');
    const one = await proposed(name, packaging(name, '1.0'), { 'b.c': 'b\n' });
    await one.make();
    const upload = (await one.shown()).subticket.sourcePackageUploadId;
    await lose(server, one.repository);
    expect(await codeOf(one.make())).toBe('merge_not_possible');
    const { subticket, proposal } = await one.shown();
    expect(subticket).toMatchObject({ currentWorkflowStep: 100, failedAtStep: null });
    expect([subticket.sourcePackageUploadId, proposal.status]).toEqual([upload, 'approved']);
  });

  it('stays what was made of it, where its branch goes on without a change once the target has it', async () => {
    const one = await proposed('moved-back', packaging('moved-back', '1.0'), { 'b.c': 'b\n' });
    await one.make();
    await one.repository.git('checkout', '--quiet', 'main');
    await one.repository.git('merge', '--quiet', 'fix');
    await one.repository.commit('fix', {});
    expect(await codeOf(one.make())).toBe('nothing_to_merge');
    const { subticket } = await one.shown();
    expect(subticket.sourcePackageUploadId).toEqual(expect.any(Number));
  });

  it('stays what was made of it, where the target has it as another commit and is merged into its branch', async () => {
    const one = await proposed('squashed', packaging('squashed', '1.0'), { 'b.c': 'b\n' });
    await one.make();
    await one.repository.git('checkout', '--quiet', 'main');
    await one.repository.git('merge', '--quiet', '--squash', 'fix');
    await one.repository.git('commit', '--quiet', '--message=squashed');
    await one.repository.git('checkout', '--quiet', 'fix');
    await one.repository.git('merge', '--quiet', '--no-edit', 'main');
    expect(await codeOf(one.make())).toBe('nothing_to_merge');
    const { subticket, proposal } = await one.shown();
    expect(subticket.sourcePackageUploadId).toEqual(expect.any(Number));
    expect(proposal.status).toBe('approved');
  });

  it.each([
    ['reverted', [['revert', '--no-edit', 'HEAD']]],
    ['dropped', [['reset', '--quiet', '--hard', 'main']]],
    [
      'replaced by another history',
      [
        ['checkout', '--quiet', '--orphan', 'other'],
        ['commit', '--quiet', '--message=anew'],
        ['branch', '--force', 'fix'],
      ],
    ],
  ])('loses what was made of a change that was %s on the branch', async (how, commands) => {
    const name = how.replaceAll(' ', '-');
    const one = await proposed(name, packaging(name, '1.0'), { 'b.c': 'b\n' });
    await one.make();
    await one.repository.git('checkout', '--quiet', 'fix');
    for (const command of commands) await one.repository.git(...command);
    expect(await codeOf(one.make())).toBe('proposal_withdrawn');
    const { subticket, proposal } = await one.shown();
    expect(subticket).toMatchObject({ currentWorkflowStep: 999, sourcePackageUploadId: null });
    expect(proposal.status).toBe('needs_review');
  });

  it('stays what was made of the head of its branch, where the target has another history by now', async () => {
    const one = await proposed('begun-anew', packaging('begun-anew', '1.0'), { 'b.c': 'b\n' });
    await one.make();
    await one.repository.git('checkout', '--quiet', '--orphan', 'other', 'main');
    await one.repository.git('commit', '--quiet', '--message=anew');
    await one.repository.git('branch', '--force', 'main');
    expect(await codeOf(one.make())).toBe('merge_not_possible');
    const { subticket, proposal } = await one.shown();
    expect(subticket.sourcePackageUploadId).toEqual(expect.any(Number));
    expect(proposal.status).toBe('approved');
  });

  it('stays what was made of it, where its branch went on, and the target is too far ahead of both', async () => {
    deps.sources.gitDepth = 2;
    const one = await proposed('far-behind', packaging('far-behind', '1.0'), { 'b.c': 'b\n' });
    await one.make();
    await one.repository.commit('fix', { 'c.c': 'c\n' });
    for (const text of ['1\n', '2\n', '3\n']) await one.repository.commit('main', { 'd.c': text });
    expect(await codeOf(one.make())).toBe('merge_not_possible');
    const { subticket, proposal } = await one.shown();
    expect(subticket.sourcePackageUploadId).toEqual(expect.any(Number));
    expect(proposal.status).toBe('approved');
  });

  it('is refused, and fails its subticket: nothing to merge, and nothing was made before', async () => {
    const one = await proposed('empty', packaging('empty', '1.0'), { 'b.c': 'b\n' });
    await one.repository.commit('main', { 'b.c': 'b\n' });
    expect(await codeOf(one.make())).toBe('nothing_to_merge');
    const { subticket, proposal } = await one.shown();
    expect(subticket.failureReason).toMatch(/^There is nothing to merge/);
    expect([subticket.currentWorkflowStep, proposal.status]).toEqual([999, 'needs_review']);
  });

  it('is made of a branch that is merged already, where its debian is of another branch', async () => {
    const one = await proposed(
      'repackaged',
      { 'a.c': 'a\n' },
      { 'b.c': 'b\n' },
      { packaging_branch: 'debian/main' },
      ({ commit }) => commit('debian/main', packaging('repackaged', '1.0'), 'main'),
    );
    await one.make();
    await one.repository.commit('main', { 'b.c': 'b\n' });
    await one.repository.commit('debian/main', packaging('repackaged', '1.1'));
    expect((await one.make()).sourcePackages.map(fileNameOfUrl)).toContain('repackaged_1.1.dsc');
  });

  describe('a submodule', () => {
    /** A proposal of which some branches have one of the same name, with what fetches it in `.gitmodules`. */
    async function withSubmodule(name: string, path: string, branches: readonly string[]) {
      const proof = join(directory, 'proof');
      const addTo = async ({ git }: Awaited<ReturnType<GitServer['make']>>, branch: string) => {
        // From elsewhere, so that what is checked out next has a folder for it.
        await git('checkout', '--quiet', '-B', `${branch}-with`, branch);
        await git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},${path}`);
        await git('commit', '--quiet', '--message', 'a submodule');
        await git('branch', '--force', branch);
      };
      const one = await proposed(
        name,
        packaging('xy', '1.0-1'),
        {
          '.gitmodules': `[submodule "x"]\n\tpath = ${path}\n\turl = ext::sh -c "touch ${proof}"\n`,
        },
        { packaging_branch: 'debian/main' },
        async (repository) => {
          for (const each of ['upstream', 'debian/main']) await repository.commit(each, {}, 'main');
          for (const each of branches.filter((branch) => branch !== 'fix'))
            await addTo(repository, each);
          await repository.git('tag', 'upstream/1.0', 'upstream');
        },
      );
      if (branches.includes('fix')) await addTo(one.repository, 'fix');
      return { one, proof };
    }

    it.each([
      ['that is proposed', 'fix', 'lib', /: lib is a submodule/],
      ['in the packaging', 'debian/main', 'debian/lib', /: debian\/lib is a submodule/],
    ])('is refused: %s', async (where, branch, path, why) => {
      const { one, proof } = await withSubmodule(where.replaceAll(' ', '-'), path, [branch]);
      const outcome = one.make();
      expect(await codeOf(outcome)).toBe('source_not_made');
      await expect(outcome).rejects.toThrow(why);
      expect(existsSync(proof)).toBe(false);
    });

    it('is left out in a debian that the packaging replaces', async () => {
      const { one } = await withSubmodule('replaced', 'debian/lib', ['fix']);
      expect((await one.make()).sourcePackages).toHaveLength(4);
    });

    it('is an empty folder where it was there before, as upstream has it', async () => {
      const { one, proof } = await withSubmodule('before', 'lib', ['upstream', 'main']);
      expect((await one.make()).sourcePackages).toHaveLength(4);
      expect(existsSync(proof)).toBe(false);
    });
  });

  it.each<[string, Files]>([
    ['link', { debian: { linkTo: 'packaging' }, 'packaging/control': 'x\n' }],
    ['file', { debian: 'x\n' }],
  ])('is refused: a packaging branch whose debian is a %s', async (what, files) => {
    const one = await proposed(
      `debian-${what}`,
      packaging('xy', '1.0'),
      { 'b.c': 'b\n' },
      { packaging_branch: 'debian/main' },
      ({ commit }) => commit('debian/main', files, 'main'),
    );
    const outcome = one.make();
    expect(await codeOf(outcome)).toBe('merge_not_possible');
    await expect(outcome).rejects.toThrow('The branch debian/main has no folder debian');
  });

  it('is refused: a tag of something else than a commit', async () => {
    const one = await proposed(
      'tag-of-a-tree',
      packaging('xy', '1.0-1'),
      { 'b.c': 'b\n' },
      {},
      ({ git }) => git('tag', 'v1.0', 'main^{tree}'),
    );
    const outcome = one.make();
    expect(await codeOf(outcome)).toBe('merge_not_possible');
    await expect(outcome).rejects.toThrow(/^refs\/tags\/v1\.0 of .* is no commit$/);
  });

  it('is refused: a repository whose objects have other hashes', async () => {
    const one = await proposed('sha1', packaging('sha1', '1.0'), { 'b.c': 'b\n' });
    const other = await server.make('sha256', '--object-format=sha256');
    await other.commit('fix', { 'b.c': 'b\n' });
    const merge = { ...one.merge, source_repository: other.url };
    const outcome = runActivity(mergeProposal(deps), { buildId: one.build.id, merge });
    expect(await codeOf(outcome)).toBe('merge_not_possible');
    await expect(outcome).rejects.toThrow('mismatched algorithms');
  });

  it('is refused: branches without a common commit among those that are fetched', async () => {
    const one = await proposed('deep', packaging('deep', '1.0'), { 'b.c': 'b\n' });
    for (const at of [1, 2, 3]) await one.repository.commit('main', { 'c.c': `${at}\n` });
    deps.sources.gitDepth = 2;
    expect(await codeOf(one.make())).toBe('merge_not_possible');
  });

  it('is refused: another host, a redirect, a private address behind a name', async () => {
    const one = await proposed('elsewhere', packaging('elsewhere', '1.0'), {});
    deps.sources.rule = { ...deps.sources.rule, hosts: ['git.example'] };
    expect(await codeOf(one.make())).toBe('host_not_allowed');

    deps.sources.rule = { ...deps.sources.rule, hosts: ['git.example', '127.0.0.1'] };
    const url = `http://git.example:${server.port}/elsewhere.git`;
    deps.sources.resolve = (_, __, found) => found(null, [{ address: '10.0.0.1', family: 4 }]);
    const named = { buildId: one.build.id, merge: { ...one.merge, target_repository: url } };
    expect(await codeOf(runActivity(mergeProposal(deps), named))).toBe('address_not_allowed');

    server.answerBy((response) =>
      response.writeHead(302, { Location: 'http://127.0.0.1:1/secret' }).end(),
    );
    expect(await codeOf(one.make())).toBe('merge_not_possible');
  });

  it('is refused: no key. The proposal keeps what was made of it: the worker is at fault', async () => {
    const one = await proposed('unsigned', packaging('unsigned', '1.0'), { 'b.c': 'b\n' });
    await one.make();
    deps.signing = null;
    expect(await codeOf(one.make())).toBe('not_signed');
    const after = await one.shown();
    expect(after.subticket).toMatchObject({
      currentWorkflowStep: 100,
      sourcePackageUploadId: expect.any(Number),
    });
    expect(after.proposal.status).toBe('approved');
  });

  it('dials the addresses that were judged, whatever the name leads to', async () => {
    const one = await proposed('pinned', packaging('pinned', '1.0'), { 'b.c': 'b\n' });
    const privateNetworks = ['127.0.0.0/8', '::1/128'];
    deps.sources.rule = { ...deps.sources.rule, hosts: ['git.example'], privateNetworks };
    const url = `http://git.example:${server.port}/pinned.git`;
    const merge = { ...one.merge, target_repository: url, source_repository: url };
    const make = (...addresses: string[]) => {
      const found = addresses.map((address) => ({ address, family: isIP(address) }));
      deps.sources.resolve = (_, __, answer) => answer(null, found);
      return runActivity(mergeProposal(deps), { buildId: one.build.id, merge });
    };
    expect((await make('127.0.0.1')).sourcePackages).toHaveLength(3);

    // Nothing listens at the other address, and the server at the last.
    expect((await make('::1', '127.0.0.1')).sourcePackages).toHaveLength(3);
    deps.sources.rule = { ...deps.sources.rule, privateNetworks: ['::1/128'] };
    await expect(make('::1', '127.0.0.1')).rejects.toThrow(/Failed to connect to git\.example/);
  });

  it('is refused: a repository, or a tree, that is too large', async () => {
    const noise = createHash('sha512').update('noise').digest();
    const large = Buffer.concat(
      Array.from({ length: 40_000 }, (_, at) =>
        createHash('sha512').update(noise).update(String(at)).digest(),
      ),
    );
    const one = await proposed('large', packaging('large', '1.0'), { 'a.bin': large });
    deps.sources.maxBytes = 1_000_000;
    expect(await codeOf(one.make())).toBe('source_too_large');

    // It is small as it is fetched, and large as a tree.
    const zeros = { 'zeros.bin': Buffer.alloc(3_000_000) };
    const another = await proposed('zeros', packaging('zeros', '1.0'), zeros);
    expect(await codeOf(another.make())).toBe('source_too_large');
  });

  it('is too large: a file whose merge takes more memory than it may', async () => {
    deps.sources.memoryBytes = 64 * 2 ** 20;
    const lines = { 'lines.txt': Buffer.alloc(4_000_000, '\n') };
    const before = packaging('lines', '1.0', { 'lines.txt': 'a\n' });
    const one = await proposed('lines', before, lines);
    await one.repository.commit('main', { 'lines.txt': 'b\n' });
    expect(await codeOf(one.make())).toBe('source_too_large');
    await expect(one.make()).rejects.toThrow('git takes more memory than 67108864 bytes');
  });

  it('is tried again: a server that is out of order, or does not answer in time', async () => {
    const one = await proposed('slow', packaging('slow', '1.0'), {});
    server.answerBy((response) => response.writeHead(503).end());
    await expect(one.make()).rejects.toThrow(/503/);
    // The words of a proxy before it, which git repeats.
    for (const words of ['upstream not found', "couldn't find remote ref", 'File too large']) {
      server.answerBy((response) =>
        response.writeHead(503, { 'Content-Type': 'text/plain' }).end(`${words}\n`),
      );
      await expect(one.make()).rejects.toThrow(`remote: ${words} fatal: `);
    }
    server.answerBy(() => undefined);
    deps.sources.fileMs = 300;
    await expect(one.make()).rejects.toThrow(/took too long/);
    expect((await one.shown()).subticket.currentWorkflowStep).toBe(100);
  });

  describe('of a worker that makes one at a time', () => {
    let activity: ReturnType<typeof mergeProposal>;
    let isOpen: Promise<void>;
    beforeEach(() => {
      const { store } = deps;
      isOpen = Promise.resolve();
      deps.store = {
        ...store,
        put: async (...file) => {
          await isOpen;
          return store.put(...file);
        },
      };
      deps.sources.mergesAtOnce = 1;
      activity = mergeProposal(deps);
    });
    /** Stores nothing until what it returns is called. */
    const holdStore = (): (() => void) => {
      let release = () => {};
      isOpen = new Promise<void>((resolve) => (release = resolve));
      return release;
    };
    /** `reached`: the first of these steps that it tells of. */
    const start = ({ build, merge }: Awaited<ReturnType<typeof proposed>>, ...steps: string[]) => {
      let cancel = () => {};
      let tell: (step: string) => void = () => {};
      const reached = new Promise<string>((resolve) => (tell = resolve));
      const onHeartbeat = (details: unknown) => {
        const { step } = details as { step: string };
        if (steps.includes(step)) tell(step);
      };
      const prepare = (environment: MockActivityEnvironment) =>
        void (cancel = () => environment.cancel('CANCELLED'));
      const outcome = runActivity(activity, { buildId: build.id, merge }, { onHeartbeat, prepare });
      return { reached, outcome, cancel: () => cancel() };
    };
    const plain = (name: string) => proposed(name, packaging(name, '1.0'), { 'b.c': 'b\n' });

    it('waits for its turn while another is made, and no longer than it is wanted', async () => {
      const [first, unwanted, last] = [
        await plain('turn-1'),
        await plain('turn-2'),
        await plain('turn-3'),
      ];
      const release = holdStore();
      const made = start(first, 'storing');
      await made.reached;
      const leaving = start(unwanted, 'waiting for its turn', 'storing');
      const waiting = start(last, 'waiting for its turn', 'storing');
      expect(await Promise.all([leaving.reached, waiting.reached])).toEqual([
        'waiting for its turn',
        'waiting for its turn',
      ]);
      leaving.cancel();
      await expect(leaving.outcome).rejects.toThrow(/CANCELLED/);
      release();
      for (const { outcome } of [made, waiting])
        expect((await outcome).sourcePackages).not.toHaveLength(0);
    });

    it.each(['merge-tree', 'archive'])(
      'is not merged while git %s runs for another',
      async (command) => {
        const first = await plain(`first-${command}`);
        const name = `conflict-${command}`;
        const conflicting = await proposed(name, packaging(name, '1.0', { 'a.c': 'a\n' }), {
          'a.c': 'b\n',
        });
        await conflicting.repository.commit('main', { 'a.c': 'c\n' });
        await whileGitIsHeld(` ${command} `, async ({ reached, release }) => {
          const held = start(first);
          await reached;
          const waiting = start(conflicting, 'waiting for its turn');
          const end = codeOf(waiting.outcome);
          expect(await Promise.race([waiting.reached, end])).toBe('waiting for its turn');
          await release();
          expect(await end).toBe('merge_conflict');
          expect((await held.outcome).sourcePackages).not.toHaveLength(0);
        });
      },
    );

    it('keeps no other waiting while its packaging is fetched, and is not unpacked before its turn', async () => {
      const other = await plain('packaging-2');
      const fields = { packaging_branch: 'debian/main' };
      const one = await proposed(
        'packaging-1',
        { 'a.c': 'a\n' },
        { 'b.c': 'b\n' },
        fields,
        (repository) => repository.commit('debian/main', { 'no-folder': '' }, 'main'),
      );
      const releaseStore = holdStore();
      await whileGitIsHeld(':refs/airline/packaging', async ({ reached, release }) => {
        const fetching = start(one, 'waiting for its turn');
        const end = codeOf(fetching.outcome);
        await reached;
        const stored = start(other, 'storing');
        expect(await stored.reached).toBe('storing');
        await release();
        expect(await Promise.race([fetching.reached, end])).toBe('waiting for its turn');
        releaseStore();
        expect((await stored.outcome).sourcePackages).not.toHaveLength(0);
        expect(await end).toBe('merge_not_possible');
      });
    });

    it('keeps no other waiting while its upstream tag is fetched', async () => {
      const other = await plain('tag-2');
      const upstream = packaging('tag-1', '1.0-1');
      const one = await proposed('tag-1', upstream, { 'debian/b': 'b\n' }, {}, (repository) =>
        repository.git('tag', 'upstream/1.0'),
      );
      await whileGitIsHeld(':refs/airline/upstream', async ({ reached, release }) => {
        const fetching = start(one);
        await reached;
        expect((await start(other).outcome).sourcePackages).not.toHaveLength(0);
        await release();
        expect((await fetching.outcome).sourcePackages).not.toHaveLength(0);
      });
    });
  });

  it('leaves nothing in the data store where it cannot store all, or is cancelled meanwhile', async () => {
    const one = await proposed('partly', packaging('partly', '1.0'), { 'b.c': 'b\n' });
    const { store } = deps;
    let cancel = () => {};
    /** Has something happen once the second file of a try is being stored. */
    const atSecondFile = (happens: () => void) => {
      let files = 0;
      deps.store = {
        ...store,
        put: async (key, ...more) => {
          files += 1;
          if (files === 2) {
            expect(await storedOf('partly')).toHaveLength(1);
            happens();
          }
          return store.put(key, ...more);
        },
      };
    };
    atSecondFile(() => {
      throw new Error('no space left');
    });
    await expect(one.make()).rejects.toThrow('no space left');
    expect(await storedOf('partly')).toEqual([]);

    atSecondFile(() => cancel());
    const prepare = (environment: MockActivityEnvironment) =>
      void (cancel = () => environment.cancel('CANCELLED'));
    await expect(one.make(one.build.id, { prepare })).rejects.toThrow(/CANCELLED/);
    expect(await storedOf('partly')).toEqual([]);

    deps.store = store;
    const { sourcePackages } = await one.make();
    expect(new Set(await storedOf('partly'))).toEqual(new Set(sourcePackages));
  });

  it('ends with what it runs when the activity is cancelled, and leaves no files', async () => {
    const one = await proposed('cancelled', packaging('cancelled', '1.0'), {});
    // Others work in the usual folder meanwhile.
    const own = await mkdtemp(join(directory, 'tmp-'));
    const usual = process.env['TMPDIR'];
    process.env['TMPDIR'] = own;
    try {
      const asked = new Promise<string[]>((resolve) =>
        server.answerBy(() => resolve(readdir(own))),
      );
      const outcome = runActivity(
        mergeProposal(deps),
        { buildId: one.build.id, merge: one.merge },
        { prepare: (environment) => void asked.then(() => environment.cancel('CANCELLED')) },
      );
      await expect(outcome).rejects.toThrow(/CANCELLED/);
      expect(await asked).toEqual([expect.stringMatching(/^airline-merge-/)]);
      expect(await readdir(own)).toEqual([]);
    } finally {
      if (usual === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = usual;
    }
  });
});

it('runs nothing of what it merges: no filter, driver, debian/rules or changelog parser', async () => {
  const proof = join(directory, 'proof');
  const touch = `touch ${proof}`;
  const one = await proposed(
    'hostile',
    packaging('hostile', '1.0', {
      '.gitattributes':
        '* filter=evil merge=evil diff=evil export-subst text eol=crlf\nsecret export-ignore\n',
      '.gitconfig': `[filter "evil"]\n\tsmudge = ${touch}\n[merge "evil"]\n\tdriver = ${touch}\n`,
      secret: '$Format:%H$\n',
      'link-out': { linkTo: '/etc/passwd' },
      'debian/rules': `#!/bin/sh\n${touch}\n`,
      'debian/files': '../../../../etc/passwd misc optional\n',
      'debian/changelog': `hostile (1.0) bookworm; urgency=medium\n\n  * A change.\n\n -- Ada <ada@example.org>  Thu, 01 Jan 2026 00:00:00 +0000\n\nLocal variables:\nchangelog-format: ../../evil\nEnd:\n`,
    }),
    { 'b.c': 'line\n' },
  );
  const { sourcePackages } = await one.make();
  expect(existsSync(proof)).toBe(false);
  const changes = await stored(sourcePackages.at(-1) ?? '');
  expect(changes).not.toContain('passwd');
  expect(sourcePackages.map(fileNameOfUrl)).toContain('hostile_1.0.tar.xz');
});
