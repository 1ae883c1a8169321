import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { publicUrl, requiredAddress } from '../../main/config/addresses.ts';
import { loadConfig } from '../../main/config/config.ts';

type Container = {
  name: string;
  image: string;
  command: string[];
  volumeMounts?: { name: string; mountPath: string }[];
  env?: { name: string; value?: string; valueFrom?: object }[];
  envFrom?: object[];
  resources?: { requests?: object; limits?: object };
  securityContext?: object;
  startupProbe?: object;
  livenessProbe?: object;
  readinessProbe?: object;
};
type Pod = {
  terminationGracePeriodSeconds?: number;
  securityContext?: object;
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  shareProcessNamespace?: boolean;
  initContainers?: Container[];
  containers: [Container];
  volumes?: { name: string }[];
};
type Resource = {
  kind: string;
  metadata: { name: string };
  spec?: {
    replicas?: number;
    template?: { metadata: { labels: Labels }; spec: Pod };
    selector?: { matchLabels: Labels };
  };
};
type Labels = Record<string, string>;
type Kustomization = {
  resources?: string[];
  labels?: { pairs: Labels; includeSelectors?: boolean }[];
};
/** A kustomization of one version of the workers. */
type VersionKustomization = Kustomization & {
  nameSuffix: string;
  images: [{ newTag: string }];
  patches: [{ patch: string }];
};

const FOLDER = 'deploy/kubernetes';
/** What the Secret `airline` brings. */
const SECRET = {
  AIRLINE_DATABASE_URL: 'postgres://airline:p@postgresql/airline',
  AIRLINE_AMQP_URL: 'amqp://airline:p@rabbitmq',
};

const read = (name: string) => readFileSync(`${FOLDER}/${name}`, 'utf8');
const kustomizationOf = (folder: string) =>
  parse(read(join(folder, 'kustomization.yaml'))) as Kustomization;
/** What a kustomization names, itself and in the folders that it builds on. */
const resourcesOf = (folder: string): Resource[] =>
  (kustomizationOf(folder).resources ?? []).flatMap((name) =>
    name.endsWith('.yaml')
      ? parseAllDocuments(read(join(folder, name))).map((one) => one.toJS() as Resource)
      : resourcesOf(join(folder, name)),
  );
const resources = ['.', 'migrate'].flatMap(resourcesOf);
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const settings = Object.fromEntries(
  read('settings/airline.env')
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => /^(\w+)=(.*)$/.exec(line)?.slice(1) as [string, string]),
);
const pods = resources.flatMap(({ metadata, spec }) =>
  spec?.template ? [[metadata.name, spec.template.spec] as const] : [],
);
const configOf = ({ containers: [{ env = [] }] }: Pod) =>
  loadConfig({
    ...settings,
    ...SECRET,
    ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
  });

describe('deploy/kubernetes', () => {
  it('runs the processes and the migrations, of this version', () => {
    expect(pods.map(([name]) => name).toSorted()).toEqual(['api', 'migrate', 'worker']);
    for (const folder of ['.', 'migrate', 'worker-version'])
      expect(kustomizationOf(folder)).toMatchObject({
        images: [{ name: 'airline', newTag: version }],
      });
  });

  it.each(pods)('%s: its configuration is one that the process accepts', (_name, pod) => {
    const config = configOf(pod);
    expect(publicUrl(config)).toBe('https://airline.example.com');
    for (const address of ['databaseUrl', 'amqpUrl', 'temporalAddress', 'launchpadUrl'] as const)
      expect(requiredAddress(config, address)).not.toBe('');
    // No folder is shared between machines.
    expect(config.store.address).toMatch(/^s3:/);
  });

  it('holds no secret, only the names of some', () => {
    expect(resources.map(({ kind }) => kind)).not.toContain('Secret');
    expect(Object.keys(settings).filter((name) => /PASS|SECRET|TOKEN|_KEY/.test(name))).toEqual([]);
    expect(Object.values(settings).filter((value) => /:\/\/[^/]*@/.test(value))).toEqual([]);
    for (const [, pod] of pods)
      expect(pod.containers[0].envFrom).toContainEqual({ secretRef: { name: 'airline' } });
  });

  it.each(pods)('%s: gets no variables of other Services, which it would refuse', (_name, pod) => {
    expect(pod.enableServiceLinks).toBe(false);
  });

  it.each(pods)('%s: is confined, and has resources', (_name, pod) => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    for (const container of [...pod.containers, ...(pod.initContainers ?? [])])
      expect(container).toMatchObject({
        image: 'airline',
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: {
          requests: { cpu: expect.anything() as string, memory: expect.anything() as string },
          limits: { memory: expect.anything() as string },
        },
      });
  });

  it('asks each process whether it is alive, and has time for its end', () => {
    for (const [name, pod] of pods.filter(([one]) => one !== 'migrate')) {
      const { startupProbe, livenessProbe, readinessProbe } = pod.containers[0];
      expect({ name, startupProbe, livenessProbe, readinessProbe }).toMatchObject({
        startupProbe: { httpGet: { path: name === 'worker' ? '/healthz' : '/startupz' } },
        livenessProbe: { httpGet: { path: '/healthz' } },
        readinessProbe: { httpGet: { path: name === 'worker' ? '/readyz' : '/healthz' } },
      });
      const { server, worker } = configOf(pod);
      const needed = Math.max(server.leaveMs + server.drainMs, worker.shutdownGraceTime);
      expect((pod.terminationGracePeriodSeconds ?? 0) * 1_000).toBeGreaterThan(needed);
    }
  });

  it('has a worker begin without what one before has left, which its volume keeps', () => {
    const [, worker] = pods.find(([name]) => name === 'worker') ?? [];
    const [{ command, volumeMounts }] = (worker as Pod).containers;
    const [, directory = ''] =
      /^rm -rf (.*)\/airline-\* \|\| :; exec node .*worker\.ts$/.exec(command.at(-1) ?? '') ?? [];
    const mounted = volumeMounts?.find(({ mountPath }) => mountPath === directory);
    expect(worker?.volumes).toContainEqual({ name: mounted?.name, emptyDir: {} });
  });

  it('has something in the pod of a worker that buries what the programs of a cancelled merge have started', () => {
    const [, worker] = pods.find(([name]) => name === 'worker') ?? [];
    expect(worker?.shareProcessNamespace).toBe(true);
  });

  it('gives a worker the memory for all merge proposals whose sources it may make at once', () => {
    const [, worker] = pods.find(([name]) => name === 'worker') ?? [];
    const { mergesAtOnce, memoryBytes } = configOf(worker as Pod).sources;
    const limits = worker?.containers[0].resources?.limits as { memory: string };
    const [, gib] = /^(\d+)Gi$/.exec(limits.memory) ?? [];
    // One more for the worker itself, one for what it fetches.
    expect(Number(gib) * 2 ** 30).toBeGreaterThanOrEqual(mergesAtOnce * memoryBytes + 2 * 2 ** 30);
  });

  it.each(pods)('%s: fixes no setting but the paths of what is mounted', (_name, pod) => {
    const [{ env = [], volumeMounts = [] }] = pod.containers;
    const fixed = env.filter(
      ({ value }) => !volumeMounts.some(({ mountPath }) => value?.startsWith(`${mountPath}/`)),
    );
    expect(fixed).toEqual([]);
  });

  it('keeps one of each while a node is drained', () => {
    const budgets = resources.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map(({ metadata }) => metadata.name)).toEqual(['api', 'worker']);
    for (const { metadata, spec } of budgets) {
      const deployment = resources.find(
        (one) => one.kind === 'Deployment' && one.metadata.name === metadata.name,
      );
      expect(spec?.selector).toEqual({
        matchLabels: deployment?.spec?.template?.metadata.labels,
      });
    }
  });

  it('has PostgreSQL take what all may open while a version takes the place of another', () => {
    const opened = resources.flatMap(({ kind, metadata: { name }, spec }) => {
      if (kind !== 'Deployment' || !spec?.template) return [];
      const { database } = configOf(spec.template.spec);
      // An API has one more, for changes.
      const each = database.poolSize + (name === 'api' ? 1 : 0);
      // A pod that ends is counted no more, but keeps its connections: all old ones may end while all new ones run.
      return [2 * (spec.replicas ?? 1) * each];
    });
    const sum = opened.reduce((total, one) => total + one, 0);
    const page = readFileSync('docs/operations.md', 'utf8');
    const [, section = ''] = page.split('\n## Kubernetes\n');
    const [, most] = /`max_connections` of (\d+)/.exec(section) ?? [];
    // Ten more for migrations, commands and backups.
    expect(Number(most)).toBeGreaterThanOrEqual(sum + 10);
    expect(section).toContain(`up to ${sum} connections`);
    const [, ofWorkers] = opened;
    expect(page.replaceAll('\n', ' ')).toContain(
      `Each version that is there besides opens up to ${ofWorkers} more connections`,
    );
  });

  describe('with versions of workers', () => {
    const UNVERSIONED = kustomizationOf('worker');
    const FILE = read('worker-version/kustomization.yaml');
    const dashed = (name: string) => name.replaceAll('.', '-');
    const asVersion = (name: string) =>
      parse(
        FILE.replaceAll(version, name).replaceAll(dashed(version), dashed(name)),
      ) as VersionKustomization;
    const [worker] = resourcesOf('worker-version').filter(({ kind }) => kind === 'Deployment');

    /** The labels of the pods, by which all that belongs to them selects them; a later kustomization's count more. */
    const labelsBy = (...kustomizations: Kustomization[]): Labels =>
      Object.assign(
        { ...worker?.spec?.template?.metadata.labels },
        ...kustomizations
          .flatMap(({ labels = [] }) => labels)
          .map(({ pairs, includeSelectors }) => (includeSelectors ? pairs : {})),
      ) as Labels;
    const selects = (selector: Labels, labels: Labels) =>
      Object.entries(selector).every(([key, value]) => labels[key] === value);

    it('none takes the pods of another, nor those of the workers without one', () => {
      const all = [
        labelsBy(UNVERSIONED),
        labelsBy(UNVERSIONED, asVersion('0.3.0')),
        labelsBy(UNVERSIONED, asVersion('0.4.0')),
      ];
      for (const selector of all)
        expect(all.filter((labels) => selects(selector, labels))).toEqual([selector]);
    });

    it('has the name, the image and the build id of its version', () => {
      const one = asVersion('0.4.0');
      expect(worker?.metadata.name + one.nameSuffix).toBe('worker-0-4-0');
      expect(one.images[0].newTag).toBe('0.4.0');
      expect(labelsBy(one)).toMatchObject({ 'app.kubernetes.io/version': '0.4.0' });
      const patch = parse(one.patches[0].patch) as Resource;
      expect(patch).toMatchObject({
        kind: 'Deployment',
        metadata: { name: worker?.metadata.name },
      });
      const [container] = patch.spec?.template?.spec.containers ?? [];
      expect(container?.name).toBe(worker?.spec?.template?.spec.containers[0].name);
      expect(container?.env).toEqual([
        { name: 'AIRLINE_WORKER_DEPLOYMENT', value: 'airline' },
        {
          name: 'AIRLINE_WORKER_BUILD_ID',
          valueFrom: { fieldRef: { fieldPath: "metadata.labels['app.kubernetes.io/version']" } },
        },
      ]);
    });
  });
});
