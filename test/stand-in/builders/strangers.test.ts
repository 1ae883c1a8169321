import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { giveToGnupg, type KeyOfGnupg } from '../../support/signing-key.ts';
import { openStandIn, type OwnStandIn } from '../../support/stand-in.ts';
import { until } from '../../support/until.ts';

const execute = promisify(execFile);
// Debian's own interpreter: launchpadlib is a Debian package.
const PYTHON = '/usr/bin/python3';

jest.setTimeout(600_000);

let standIn: OwnStandIn;
let key: KeyOfGnupg;
beforeAll(async () => {
  standIn = await openStandIn();
  key = await giveToGnupg(standIn.key);
});
afterAll(async () => {
  await key.remove();
  await standIn.close();
});

const dput = (changes: string) => {
  const configPath = join(standIn.directory, 'dput.cf');
  writeFileSync(
    configPath,
    `[standin]\nfqdn = ${standIn.ftpAddress}\nmethod = ftp\nincoming = ~me/debian/test\nlogin = anonymous\npassive_ftp = 1\nallow_unsigned_uploads = 1\n`,
  );
  return execute('dput', ['--config', configPath, 'standin', changes], {
    timeout: 300_000,
    env: { ...process.env, GNUPGHOME: key.gnupgHome, USER: 'developer' },
  });
};
/** Runs a Python program that has `lp`, a Launchpad object, and prints one JSON document. */
const launchpadlib = async (program: string, token = ''): Promise<unknown> => {
  const home = join(standIn.directory, 'launchpadlib');
  mkdirSync(home, { recursive: true });
  const login =
    token === ''
      ? `Launchpad.login_anonymously('airline-test', ROOT, CACHE, version='devel')`
      : `Launchpad(Credentials('airline-test', access_token=AccessToken('${token}', 'secret')), None, None, service_root=ROOT, cache=CACHE, version='devel')`;
  const { stdout } = await execute(
    PYTHON,
    [
      '-c',
      `
import json
from launchpadlib.launchpad import Launchpad
from launchpadlib.credentials import Credentials, AccessToken
ROOT, CACHE = '${standIn.webUrl}/', '${home}'
lp = ${login}
archive = lp.people['me'].getPPAByName(distribution=lp.distributions['debian'], name='test')
${program}
`,
    ],
    { timeout: 300_000, env: { ...process.env, HOME: home } },
  );
  return JSON.parse(stdout) as unknown;
};

it('dput uploads a package, which is accepted', async () => {
  const source = await standIn.make({ name: 'by-dput' });
  const { stdout } = await dput(source.changes);
  expect(stdout).toMatch(/Successfully uploaded packages/);
  expect((await standIn.publication(source))['source_package_version']).toBe('1.0');
});

it('dput killed in the middle of a session leaves nothing', async () => {
  const source = await standIn.make({ name: 'killed-midway' });
  standIn.play({ ftp: [{ on: 'STOR', match: '.changes', hang: true }] });
  const uploading = dput(source.changes);
  const incoming = join(standIn.directory, 'stand-in', 'incoming');
  await until('the first files to arrive', () =>
    readdirSync(join(incoming, '.sessions'), { recursive: true }).some((name) =>
      String(name).endsWith('.buildinfo'),
    ),
  );
  uploading.child.kill('SIGKILL');
  await expect(uploading).rejects.toThrow();
  standIn.play({});
  await until(
    'the upload to be dropped',
    () =>
      readdirSync(incoming).every((name) => name === '.sessions') &&
      readdirSync(join(incoming, '.sessions')).length === 0,
  );
  expect(
    await standIn.entries(standIn.archiveUrl(), 'getPublishedSources', {
      source_name: 'killed-midway',
    }),
  ).toEqual([]);
});

it('launchpadlib finds a source, its builds, its files and its log', async () => {
  standIn.play({
    sources: {
      'by-launchpadlib': {
        builds: {
          '*': [{ state: 'Currently building' }, { state: 'Failed to build', log: 'why\n' }],
        },
      },
    },
  });
  const source = await standIn.make({ name: 'by-launchpadlib' });
  await standIn.upload(source.files);
  await standIn.buildIn(await standIn.publication(source), 'Failed to build');
  const seen = await launchpadlib(`
import urllib.request, gzip
series = lp.distributions['debian'].getSeries(name_or_version='bookworm')
[source] = archive.getPublishedSources(source_name='by-launchpadlib', version='1.0', exact_match=True, distro_series=series)
[build] = source.getBuilds()
answer = urllib.request.urlopen(build.build_log_url)
log = gzip.decompress(answer.read()).decode()
print(json.dumps({
  'archive': lp.archives.getByReference(reference='~me/debian/test').self_link == archive.self_link,
  'ppas': [ppa.name for ppa in lp.people['me'].ppas],
  'people': [person.name for person in lp.people],
  'series': [series.name for series in lp.distributions['debian'].series],
  'source': source.source_package_name,
  'state': build.buildstate,
  'arch': build.arch_tag,
  'started': build.date_started.year > 2000,
  'backlink': build.current_source_publication.self_link == source.self_link,
  'log': log,
  'records': [one.title for one in archive.getBuildRecords(build_state='Failed to build')],
  'files': [url.split('/')[-1] for url in source.sourceFileUrls()],
  'changes': source.changesFileUrl().split('/')[-1],
  'binaries': len(source.getPublishedBinaries()),
}))`);
  expect(seen).toEqual({
    archive: true,
    ppas: ['test'],
    people: ['me'],
    series: ['bookworm', 'trixie'],
    source: 'by-launchpadlib',
    state: 'Failed to build',
    arch: 'amd64',
    started: true,
    backlink: true,
    log: 'why\n',
    records: ['amd64 build of by-launchpadlib 1.0 in debian bookworm RELEASE'],
    files: ['by-launchpadlib_1.0.dsc', 'by-launchpadlib_1.0.tar.xz'],
    changes: 'by-launchpadlib_1.0_source.changes',
    binaries: 0,
  });
});

it('launchpadlib cancels and retries a build with credentials, and not without', async () => {
  standIn.play({
    sources: { cancelled: { builds: { '*': [{ state: 'Currently building' }] } } },
  });
  const source = await standIn.make({ name: 'cancelled' });
  await standIn.upload(source.files);
  await standIn.buildIn(await standIn.publication(source), 'Currently building');
  const program = `
import time
from lazr.restfulclient.errors import Unauthorized, BadRequest
[source] = archive.getPublishedSources(source_name='cancelled', exact_match=True)
[build] = source.getBuilds()
try:
    build.cancel()
except Unauthorized:
    print(json.dumps('unauthorized'))
else:
    for _ in range(900):
        build.lp_refresh()
        if build.buildstate == 'Cancelled build': break
        time.sleep(0.1)
    states = [build.buildstate]
    build.retry()
    build.lp_refresh()
    states.append(build.buildstate in ('Needs building', 'Currently building'))
    try:
        build.retry()
    except BadRequest as error:
        states.append(error.content.decode())
    print(json.dumps(states))`;
  expect(await launchpadlib(program)).toBe('unauthorized');
  expect(await launchpadlib(program, 'any-token')).toEqual([
    'Cancelled build',
    true,
    expect.stringMatching(/^Build \d+ cannot be retried\.$/),
  ]);
});

it('launchpadlib pages through a long collection and outlives an outage', async () => {
  standIn.play({});
  for (let version = 1; version <= 4; version++) {
    const source = await standIn.make({ name: 'many-versions', version: `${version}.0` });
    await standIn.upload(source.files);
    await standIn.publication(source);
  }
  standIn.play({ web: [{ status: 503, count: 2, match: 'getPublishedSources' }] });
  const seen = await launchpadlib(`
found = archive.getPublishedSources(source_name='many-versions', order_by_date=True)
print(json.dumps([len(found), [one.source_package_version for one in found], found[2].source_package_version]))`);
  expect(seen).toEqual([4, ['4.0', '3.0', '2.0', '1.0'], '2.0']);
});

it('launchpadlib copies a source with its packages, finds it, and deletes it where it came from', async () => {
  const built = { builds: { '*': [{ state: 'Successfully built', binaries: true }] } };
  standIn.play({
    sources: { '*': built },
    copies: { 'to-be-held': { held: 'Unapproved' } },
    archives: { debian: { redirectsRelease: true } },
  });
  for (const name of ['to-be-landed', 'to-be-held']) {
    const source = await standIn.make({ name });
    await standIn.upload(source.files);
    await standIn.buildIn(await standIn.publication(source), 'Successfully built');
  }
  const program = `
import time
from lazr.restfulclient.errors import BadRequest, NotFound, Unauthorized
debian = lp.distributions['debian']
series, target = debian.getSeries(name_or_version='bookworm'), debian.main_archive
def until(find):
    for _ in range(900):
        found = find()
        if found: return found
        time.sleep(0.1)
    raise AssertionError('not in time')
def copy(name, **more):
    target.copyPackage(**{**dict(source_name=name, version='1.0', from_archive=archive, to_pocket='Proposed', to_series='bookworm', include_binaries=True), **more})
def refusal(call):
    try:
        call()
    except (BadRequest, NotFound, Unauthorized) as error:
        return error.content.decode()
def sources(where, name, **more):
    return list(where.getPublishedSources(source_name=name, exact_match=True, distro_series=series, **more))
def landed():
    for source in sources(target, 'to-be-landed', version='1.0', pocket='Proposed', status='Published'):
        binaries = source.getPublishedBinaries()
        if len(binaries) > 0 and all(one.status == 'Published' for one in binaries): return source
[origin] = sources(archive, 'to-be-landed')
refused = [
  refusal(lambda: copy('to-be-landed', to_pocket='Release')),
  refusal(lambda: copy('to-be-landed', version='9')),
  refusal(lambda: copy('to-be-landed', to_series='sid')),
]
copy('to-be-landed')
copy('to-be-held', sponsored=lp.people['me'], unembargo=True, auto_approve=True, silent=False, from_pocket='Release', from_series='bookworm', phased_update_percentage=50, move=False)
source = until(landed)
[binary] = source.getPublishedBinaries()
[held] = until(lambda: list(series.getPackageUploads(archive=target, status='Unapproved', name='to-be-held', exact_match=True)))
origin.requestDeletion(removal_comment='landed')
origin.lp_refresh()
print(json.dumps({
  'refused': refused,
  'target': [target.reference, source.archive.reference, source.pocket],
  'build': binary.build.archive.reference,
  'architecture': binary.distro_arch_series.architecture_tag,
  'all': [one.binary_package_name for one in target.getPublishedBinaries(status='Published', distro_arch_series=binary.distro_arch_series)],
  'held': [held.package_name, held.status, held.contains_copy, held.copy_source_archive.reference],
  'deleted': [origin.status, origin.removal_comment],
  'kept': [one.status for one in sources(target, 'to-be-landed')],
}))`;
  expect(await launchpadlib(program, 'any-token')).toEqual({
    refused: [
      'Not permitted to upload directly to bookworm; try bookworm-proposed instead.',
      'to-be-landed is not published in test of me.',
      "No such distribution series: 'sid'.",
    ],
    target: ['debian', 'debian', 'Proposed'],
    build: '~me/debian/test',
    architecture: 'amd64',
    all: ['to-be-landed'],
    held: ['to-be-held', 'Unapproved', true, '~me/debian/test'],
    deleted: ['Deleted', 'landed'],
    kept: ['Published'],
  });
  const anonymous = `
from lazr.restfulclient.errors import Unauthorized
[origin] = archive.getPublishedSources(source_name='to-be-held', exact_match=True)
try:
    origin.requestDeletion()
except Unauthorized as error:
    print(json.dumps(error.response.status))`;
  expect(await launchpadlib(anonymous)).toBe(401);
});
