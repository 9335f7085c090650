import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { NODE_MIN } from '../../src/base/index.js';
import type { Finding } from '../../src/cli/findings.js';
import { examineHost } from '../../src/cli/host/examine.js';
import { driverVersion, type HostProbes, thisHost } from '../../src/cli/host/probes.js';
import { loadSettings } from '../../src/settings/index.js';
import { selfSigned, writeCertificate } from '../support/certificate.js';
import { run } from '../support/cli.js';
import { freePort } from '../support/free-port.js';
import { modelsFolder } from '../support/server.js';

/** A host on which all is well. */
const WELL: HostProbes = {
  nodeVersion: NODE_MIN,
  libraryVersions: () => new Map([['cuda', '3.22.1']]),
  nvidiaDriver: () => '525.60.13',
  computeCapabilities: async () => ['8.6', '8.9', '12.0', '12.1'],
  hasCudaLibraries: () => true,
  arePrebuilt: () => true,
  openFilesMax: () => 4_096,
  threadsMax: () => 1_024,
  isClockSynchronized: async () => true,
  durableWriteMs: () => 50,
  folderMode: () => 0o40700,
  folderOwner: () => null,
  listenErrors: async (addresses) => addresses.map(() => null),
};
const NOW = Date.parse('2026-11-22T00:00:00Z');
const SETTINGS = { DECIDER_DATA: '/var/lib/decider' };

/** What is found on a host that differs in `probes`, with these settings. */
async function findings(
  probes: Partial<HostProbes> = {},
  environment: Record<string, string> = {},
  served = false,
): Promise<Finding[]> {
  const settings = loadSettings({ ...SETTINGS, ...environment }, undefined);
  const found: Finding[] = [];
  const host = { ...WELL, ...probes };
  for await (const finding of examineHost(settings, served, host, { now: () => NOW })) found.push(finding);
  return found;
}

/** The only finding that is not well: a warning or a problem, with its remedy. */
async function theOne(
  t: Test,
  found: Promise<Finding[]>,
  expected: { ok: boolean } & Record<string, unknown>,
) {
  const bad = (await found).filter(({ ok, remedy }) => !ok || remedy !== undefined);
  t.match(bad, [expected], JSON.stringify(bad));
  t.equal(bad.length, 1);
}

test('a host on which all is well, at each limit', async (t) => {
  const found = await findings();
  t.ok(
    found.every(({ ok, remedy }) => ok && remedy === undefined),
    JSON.stringify(found),
  );
  t.same(
    found.map(({ check }) => check),
    [
      'node',
      'libraries',
      'gpu driver',
      'open files',
      'threads',
      'time server',
      'permissions',
      'disk',
      'network',
    ].concat(...['certificate', 'port 8080']),
  );
});

test('a probe that fails is a problem of its check, and the others are made', async (t) => {
  const all = (await findings()).map(({ check }) => check);
  const probes = Object.keys(WELL).filter((name) => name !== 'nodeVersion' && name !== 'arePrebuilt');
  for (const name of probes) {
    const fails = () => {
      throw new Error('it fails');
    };
    const found = await findings({ [name]: fails });
    t.strictSame(found.filter(({ ok }) => !ok).length, 1, name);
    // Without a duration there is no line for the disk, and without codes none for each port.
    const left = all.filter((check) => check !== 'disk' && !check.startsWith('port '));
    t.ok(
      left.every((check) => found.some((finding) => finding.check === check)),
      name,
    );
  }
});

test('an old Node.js', async (t) => {
  for (const nodeVersion of ['18.20.8', '20.9.0', '20.18.0']) {
    const remedy = `Install Node.js ${NODE_MIN} or newer.`;
    await theOne(t, findings({ nodeVersion }), { check: 'node', ok: false, detail: /too old/, remedy });
  }
  t.ok((await findings({ nodeVersion: '100.0.0' }))[0]?.ok);
});

test('libraries that are missing, or of different versions', async (t) => {
  const none = { libraryVersions: () => new Map() };
  await theOne(t, findings(none), { check: 'libraries', ok: false, remedy: 'Run: npm ci' });
  const mixed = { libraryVersions: () => new Map([['cuda', '3.21.0']]).set('cpu', '3.22.1') };
  const detail = /different versions: cuda 3\.21\.0, cpu 3\.22\.1/;
  await theOne(t, findings(mixed), { check: 'libraries', ok: false, detail, remedy: /^Run npm ci/ });
});

test('a GPU driver that does not fit the installed libraries', async (t) => {
  const check = 'gpu driver';
  const without = { nvidiaDriver: () => null };
  await theOne(t, findings(without), { check, ok: true, remedy: /nvidia-smi/ });
  await theOne(t, findings({ hasCudaLibraries: () => false }), { check, ok: true, remedy: /install:cuda/ });
  const old = { nvidiaDriver: () => '470.256.02' };
  await theOne(t, findings(old), { check, ok: false, detail: /470\.256\.02 is too old/, remedy: /525/ });
  const cpu = { DECIDER_ENGINE_BACKEND: 'cpu' };
  t.match((await findings(old, cpu))[2], { ok: true, detail: 'not needed: engine.backend is cpu' });
  t.match((await findings({ ...without, hasCudaLibraries: () => false }))[2], { detail: 'no NVIDIA driver' });
});

test('a GPU for which the prebuilt libraries have only PTX needs a newer driver', async (t) => {
  const check = 'gpu driver';
  for (const capability of ['7.5', '8.0', '9.0', '10.0']) {
    const computeCapabilities = async () => ['8.9', capability];
    const detail = new RegExp(
      `compute capability ${capability}, the NVIDIA driver 580\\.159\\.04 cannot run`,
    );
    const affected = { computeCapabilities, nvidiaDriver: () => '580.159.04' };
    await theOne(t, findings(affected), {
      check,
      ok: true,
      detail,
      remedy: /^Install driver 590 or newer, or the runtime of CUDA 12/,
    });
    // Libraries that were compiled for this GPU have machine code.
    t.match((await findings({ ...affected, arePrebuilt: () => false }))[2], { ok: true, remedy: undefined });
    // An older driver runs the libraries for CUDA 12, which have PTX that it knows.
    for (const version of ['579.99', '590.0']) {
      const [, , found] = await findings({ computeCapabilities, nvidiaDriver: () => version });
      t.match(found, { check, ok: true, detail: version, remedy: undefined });
    }
  }
});

test('the version of a proprietary and of an open driver', async (t) => {
  const version = (line: string) =>
    driverVersion(`NVRM version: NVIDIA UNIX ${line}\nGCC version:  gcc 12.2.0\n`);
  t.equal(version('x86_64 Kernel Module  570.86.15  Thu Jan 23 22:50:36 UTC 2025'), '570.86.15');
  t.equal(version('x86_64 Kernel Module  535.54  Tue Jun  6 22:20:39 UTC 2023'), '535.54');
  t.equal(version('Open Kernel Module for x86_64  580.159.04  Release Build  (root@builder)'), '580.159.04');
  t.equal(version('Open Kernel Module for aarch64  580.159.04  Release Build  (root@builder)'), '580.159.04');
  t.equal(driverVersion(''), null);
});

test('limits that a busy server may reach', async (t) => {
  await theOne(t, findings({ openFilesMax: () => 4_095 }), {
    check: 'open files',
    ok: true,
    remedy: /LimitNOFILE/,
  });
  await theOne(t, findings({ threadsMax: () => 1_023 }), { check: 'threads', ok: true, remedy: /TasksMax/ });
  t.match((await findings({ openFilesMax: () => null }))[3], { detail: 'no limit known' });
  t.match((await findings({ threadsMax: () => Number.POSITIVE_INFINITY }))[4], { detail: 'no limit' });
});

test('a clock that follows no time server', async (t) => {
  const free = { isClockSynchronized: async () => false };
  await theOne(t, findings(free), { check: 'time server', ok: true, remedy: /timedatectl set-ntp true/ });
  t.match((await findings({ isClockSynchronized: async () => null }))[5], { detail: 'not known' });
});

test('a data folder that is slow, open to others, or not writable', async (t) => {
  await theOne(t, findings({ durableWriteMs: () => 51 }), { check: 'disk', ok: true, remedy: /local SSD/ });
  const database = { DECIDER_STORE_URL: 'postgres://127.0.0.1/decider', DECIDER_MASTER_KEY: '0'.repeat(64) };
  const [slow] = (await findings({ durableWriteMs: () => 51 }, database)).filter(
    ({ check }) => check === 'disk',
  );
  t.match(slow, { ok: true, remedy: undefined }, 'no commit waits for it');
  const open = { folderMode: () => 0o40750 };
  await theOne(t, findings(open), {
    check: 'permissions',
    ok: true,
    remedy: 'Run: chmod 700 /var/lib/decider',
  });
  await theOne(t, findings({ folderOwner: () => 1_234 }), {
    check: 'permissions',
    ok: true,
    detail: /belongs to user 1234/,
    remedy: /same user/,
  });
  const closed = () => {
    throw new Error('EACCES: permission denied');
  };
  const refused = { check: 'permissions', ok: false, detail: /EACCES/, remedy: /same user/ };
  await theOne(t, findings({ folderMode: closed }), refused);
  await theOne(t, findings({ durableWriteMs: closed }), refused);
});

test('addresses beyond loopback without TLS', async (t) => {
  const open = { DECIDER_HOST: '0.0.0.0' };
  const [refused] = (await findings({}, open)).filter(({ ok }) => !ok);
  t.match(refused, { check: 'network', detail: /Set tls\.cert and tls\.key/ }, 'its message has the remedy');
  const allowed = { ...open, DECIDER_HTTP_ALLOW_PLAIN: 'true' };
  await theOne(t, findings({}, allowed), { check: 'network', ok: true, remedy: /Set tls\.cert/ });
  const finding = async (environment: Record<string, string>) =>
    (await findings({}, { ...open, ...environment })).find(({ check }) => check === 'network');
  const local = await finding({ DECIDER_HTTP_TRUSTED_PROXIES: '127.0.0.1' });
  t.match(local, { ok: false, detail: /a proxy on another machine/ });
  const behind = await finding({ DECIDER_HTTP_TRUSTED_PROXIES: '10.0.0.1' });
  t.match(behind, { ok: true, detail: /only the proxies of http\.trusted_proxies \(10\.0\.0\.1\)/ });
});

test('a certificate that cannot be used, or ends soon', async (t) => {
  const files = writeCertificate(t.testdir({}), selfSigned('localhost', '20261201000000Z'));
  const tls = { DECIDER_TLS_CERT: files.cert, DECIDER_TLS_KEY: files.key };
  await theOne(t, findings({}, tls), { check: 'certificate', ok: true, detail: /expires at 2026-12-01/ });
  const [half] = (await findings({}, { DECIDER_TLS_CERT: files.cert })).filter(({ ok }) => !ok);
  t.match(half, { check: 'certificate', detail: /Set both, or neither/ });
  const long = writeCertificate(t.testdir({}));
  const well = await findings({}, { DECIDER_TLS_CERT: long.cert, DECIDER_TLS_KEY: long.key });
  t.match(
    well.find(({ check }) => check === 'certificate'),
    { ok: true, detail: /cert\.pem, until 9999/ },
  );
});

test('ports that are not available', async (t) => {
  const failing = (code: string) => findings({ listenErrors: async () => [code] });
  await theOne(t, failing('EADDRINUSE'), {
    check: 'port 8080',
    ok: false,
    remedy: /ss -ltnp 'sport = :8080'/,
  });
  await theOne(t, failing('EACCES'), { check: 'port 8080', ok: false, remedy: /CAP_NET_BIND_SERVICE/ });
  await theOne(t, failing('EADDRNOTAVAIL'), { check: 'port 8080', ok: false, remedy: /one of this machine/ });
  const all = { DECIDER_GATEWAY_PORT: '8081', DECIDER_OPERATOR_PORT: '9090' };
  const ports = (found: Finding[]) =>
    found.map(({ check }) => check).filter((check) => check.startsWith('port'));
  t.same(ports(await findings({}, all)), ['port 8080', 'port 8081', 'port 9090']);
  t.same(ports(await findings({}, all, true)), [], 'the server that runs has them');
});

test('the probes of this host', async (t) => {
  const folder = t.testdir({});
  t.equal(thisHost.nodeVersion, process.versions.node);
  t.match(thisHost.nvidiaDriver() ?? '1.0', /^\d+\.\d+/);
  t.type(thisHost.hasCudaLibraries(), 'boolean');
  for (const version of thisHost.libraryVersions().values()) t.match(version, /^\d+\.\d+\.\d+/);
  for (const limit of [thisHost.openFilesMax(), thisHost.threadsMax()]) t.ok(limit === null || limit > 0);
  t.ok([true, false, null].includes(await thisHost.isClockSynchronized()));
  t.ok(thisHost.durableWriteMs(join(folder, 'not/there')) >= 0, 'the nearest folder that exists');
  t.equal(thisHost.folderMode(join(folder, 'not/there')), null);
  mkdirSync(join(folder, 'data'));
  chmodSync(join(folder, 'data'), 0o750);
  t.equal((thisHost.folderMode(join(folder, 'data')) as number) & 0o777, 0o750);
  writeFileSync(join(folder, 'file'), '');
  t.throws(() => thisHost.durableWriteMs(join(folder, 'file')), { code: 'ENOTDIR' });
  const server = createServer().listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const errors = (...all: [string, number][]) =>
    thisHost.listenErrors(all.map(([host, port]) => ({ host, port })));
  t.strictSame(await errors(['127.0.0.1', port], ['192.0.2.1', 0], ['127.0.0.1', 0]), [
    'EADDRINUSE',
    'EADDRNOTAVAIL',
    null,
  ]);
  const free = await freePort();
  t.strictSame(await errors(['127.0.0.1', free], ['0.0.0.0', free]), [null, 'EADDRINUSE']);
  t.strictSame(await errors(['127.0.0.1', free]), [null], 'both are closed');
});

test('doctor prints remedies after findings, and as fields of JSON', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const environment = { DECIDER_PORT: String(port), DECIDER_MODELS: modelsFolder(t.testdir()) };
  const { code, stdout } = await run(t, ['doctor'], environment);
  t.equal(code, 1);
  const line = new RegExp(
    `^problem  port ${port} +127\\.0\\.0\\.1:${port} is not available: EADDRINUSE\\. Run: ss `,
    'm',
  );
  t.match(stdout, line);
  const json = await run(t, ['doctor', '--json'], environment);
  t.equal(json.code, 1);
  const all = JSON.parse(json.stdout) as Finding[];
  t.match(
    all.find(({ check }) => check === `port ${port}`),
    { ok: false, remedy: /^Run: ss / },
  );
});
