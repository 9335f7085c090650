import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { parse, parseAllDocuments } from 'yaml';
import { loadSettings } from '../../src/settings/index.js';
import { ROOT } from '../support/sources.js';

const FILES = ['kubernetes.yml', 'compose.yml', 'compose.gpu.yml', 'prometheus.yml', 'alerts.yml'];

const documents = (file: string) =>
  parseAllDocuments(readFileSync(join(ROOT, 'deploy', file), 'utf8'), { uniqueKeys: true });

test('every YAML file of deploy/ is valid', async (t) => {
  for (const file of FILES) {
    for (const document of documents(file) as Exclude<ReturnType<typeof documents>, { empty: true }>) {
      t.strictSame([...document.errors, ...document.warnings], [], file);
    }
  }
});

interface Port {
  readonly name: string;
  readonly containerPort: number;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: the shape is Kubernetes' own.
  readonly spec: any;
}

const manifests = (documents('kubernetes.yml') as Exclude<ReturnType<typeof documents>, { empty: true }>).map(
  (document) => document.toJS() as Manifest,
);
const of = (kind: string) => manifests.find((each) => each.kind === kind)?.spec;
const pod = of('Deployment').template.spec;
const [container] = pod.containers;

/** The variables as the server reads them; secrets have a value of their form. */
const environment: Record<string, string> = Object.fromEntries(
  (container.env as { name: string; value?: string }[]).map(({ name, value }) => [
    name,
    value ?? 'a'.repeat(64),
  ]),
);

test('the manifest: its variables are settings, and its ports those of the settings', async (t) => {
  t.ok(container.env.every(({ value = '' }) => typeof value === 'string'));
  const settings = loadSettings(environment, undefined);
  const portOf = (name: string) =>
    (container.ports as Port[]).find((port) => port.name === name)?.containerPort;
  t.equal(portOf('http'), settings.port);
  t.equal(portOf('operator'), settings.operator.port);
  for (const probe of [container.startupProbe, container.readinessProbe]) {
    t.strictSame(probe.httpGet, { path: '/health', port: 'http' });
  }
  t.equal(of('Service').ports[0].targetPort, 'http');
  t.strictSame(of('Service').selector, of('Deployment').selector.matchLabels);
  t.ok(settings.data.startsWith(`${container.volumeMounts[0].mountPath}/`), 'below the volume’s own folder');
  t.equal(pod.volumes[0].persistentVolumeClaim.claimName, 'decider');
  t.equal(manifests[0]?.metadata.name, 'decider');
});

test('the manifest: no service links, one server at a time, and time for the drain', async (t) => {
  t.equal(pod.enableServiceLinks, false);
  t.strictSame(of('Deployment').strategy, { type: 'Recreate' });
  t.equal(of('Deployment').replicas, 1);
  const drainS = loadSettings(environment, undefined).http.drain_ms / 1_000;
  const pauseS = Number(container.lifecycle.preStop.exec.command[1]);
  t.ok(pod.terminationGracePeriodSeconds >= drainS + 30 + pauseS);
  t.equal(pod.securityContext.runAsUser, 10_001, 'the user of the image');
  t.equal(
    pod.securityContext.fsGroupChangePolicy,
    'OnRootMismatch',
    'keys stay readable by their owner only',
  );
  t.match(String(container.resources.limits.cpu), /^\d+$/, 'whole cores');
});

test('compose: no service has a default password, a capability, or a way to more rights', async (t) => {
  const compose = parse(readFileSync(join(ROOT, 'deploy/compose.yml'), 'utf8'));
  const services = compose.services as Record<string, Record<string, unknown>>;
  t.strictSame(Object.keys(services), ['decider', 'prometheus', 'grafana']);
  for (const [name, service] of Object.entries(services)) {
    t.strictSame(service.cap_drop, ['ALL'], name);
    t.strictSame(service.security_opt, ['no-new-privileges:true'], name);
  }
  // Without it, the user admin has the password admin.
  t.match(services.grafana?.environment, { GF_SECURITY_ADMIN_PASSWORD: /^\$\{GRAFANA_PASSWORD:\?/ });
});
