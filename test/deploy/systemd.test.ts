import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { systemdUnit, type UnitOptions } from '../../src/cli/systemd-unit.js';
import { listSettings, loadSettings, SETTINGS } from '../../src/settings/index.js';
import { decider, run } from '../support/cli.js';
import { modelsFolder } from '../support/server.js';
import { until } from '../support/until.js';

// In two parts: no source may name a folder of the machine where it was written.
const [HOME, TEMPORARY] = [`/${'home'}`, `/${'tmp'}`];

/** A unit of these settings; `own` overrides what the machine says. */
function unitOf(environment: Record<string, string>, own: Partial<UnitOptions> = {}): string {
  const settings = loadSettings(
    { DECIDER_DATA: '/var/lib/decider', DECIDER_MODELS: '/opt/models', ...environment },
    undefined,
  );
  return systemdUnit({
    settings,
    config: '/etc/decider/decider.json',
    command: ['/usr/bin/node', '/opt/decider/bin/decider.mjs'],
    user: 'decider',
    systemd: null,
    ...own,
  });
}

const lineOf = (unit: string, key: string) =>
  unit.split('\n').flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));

test('a unit restarts the server with a growing pause and leaves it time to drain', async (t) => {
  const unit = unitOf({});
  t.strictSame(lineOf(unit, 'Restart'), ['on-failure']);
  t.strictSame(lineOf(unit, 'RestartPreventExitStatus'), [], 'status 70 restarts');
  t.strictSame(lineOf(unit, 'RestartSec'), ['10']);
  t.strictSame(lineOf(unit, 'ExecReload'), ['/bin/kill -HUP $MAINPID']);
  t.strictSame(lineOf(unit, 'TimeoutStopSec'), ['90']);
  t.strictSame(lineOf(unitOf({ DECIDER_HTTP_DRAIN_MS: '5m' }), 'TimeoutStopSec'), ['330']);
  const newer = unitOf({}, { systemd: 254 });
  t.strictSame(lineOf(newer, 'RestartSec'), ['2']);
  t.strictSame(lineOf(newer, 'RestartMaxDelaySec'), ['60']);
  t.strictSame(lineOf(unitOf({}, { systemd: 253 }), 'RestartMaxDelaySec'), []);
});

test('a unit gives access to GPUs only where the backend uses them', async (t) => {
  const unit = (backend: string) => unitOf({ DECIDER_ENGINE_BACKEND: backend });
  t.strictSame(lineOf(unit('cpu'), 'PrivateDevices'), ['yes']);
  t.strictSame(lineOf(unit('cpu'), 'DeviceAllow'), []);
  t.strictSame(lineOf(unit('cuda'), 'DeviceAllow'), ['char-nvidia* rw']);
  t.strictSame(lineOf(unit('cuda'), 'DevicePolicy'), ['closed']);
  t.strictSame(lineOf(unit('vulkan'), 'DeviceAllow'), ['char-nvidia* rw', 'char-drm rw']);
  t.strictSame(lineOf(unit('auto'), 'SupplementaryGroups'), ['video render']);
});

test('a unit follows the settings', async (t) => {
  t.strictSame(lineOf(unitOf({}), 'ReadWritePaths'), []);
  t.strictSame(lineOf(unitOf({ DECIDER_DATA: '/srv/with space' }), 'ReadWritePaths'), ['"/srv/with space"']);
  t.strictSame(lineOf(unitOf({ DECIDER_DATA: '/var/lib/decider-2' }), 'ReadWritePaths'), [
    '/var/lib/decider-2',
  ]);
  t.strictSame(lineOf(unitOf({ DECIDER_DATA: 'data' }), 'ReadWritePaths'), [], 'below the working directory');
  const odd = unitOf({}, { command: ['/usr/bin/node', '/opt/100%/a "b" $c.mjs'], config: null });
  t.strictSame(lineOf(odd, 'ExecStart'), ['/usr/bin/node "/opt/100%%/a \\"b\\" $$c.mjs" serve']);
});

test('a unit has the capability for a low port, whichever setting it is of', async (t) => {
  const ports = listSettings(SETTINGS).filter(({ key }) => /(^|\.)port$/.test(key));
  t.ok(ports.length >= 3);
  for (const { variable } of ports) {
    for (const [port, capability] of [
      ['0', ''],
      ['1', 'CAP_NET_BIND_SERVICE'],
      ['1023', 'CAP_NET_BIND_SERVICE'],
      ['1024', ''],
    ] as const) {
      const unit = unitOf({ [variable]: port });
      t.strictSame(lineOf(unit, 'AmbientCapabilities'), [capability], `${variable} ${port}`);
      t.strictSame(lineOf(unit, 'CapabilityBoundingSet'), [capability], `${variable} ${port}`);
    }
  }
});

test('a unit reaches every path of the settings, however it is written', async (t) => {
  const paths = listSettings(SETTINGS).filter(({ setting }) => /^(PEM file|Folder) of/.test(setting.meaning));
  t.strictSame(
    paths.map(({ key }) => key),
    ['data', 'store.ca', 'models', 'tls.cert', 'tls.key'],
  );
  for (const { key, variable } of paths) {
    for (const [path, at, home = 'yes', temporary = 'yes'] of [
      ['x', null],
      ['./x/../y', null],
      ['/var/lib/decider', null],
      ['/var/lib/decider/x', null],
      ['/srv/home/x', '/srv/home/x'],
      ['/var/lib/decider-2', '/var/lib/decider-2'],
      ['../other', '/var/lib/other'],
      ['/var/lib/decider/../other', '/var/lib/other'],
      [`${HOME}/u/x`, `${HOME}/u/x`, 'read-only'],
      [`/var/lib/decider/../../..${HOME}/u/x`, `${HOME}/u/x`, 'read-only'],
      ['../../../root', '/root', 'read-only'],
      [`/${HOME}//u`, `${HOME}/u`, 'read-only'],
      ['/run/user/990/x', '/run/user/990/x', 'read-only'],
      [`${TEMPORARY}/x`, `${TEMPORARY}/x`, 'yes', 'no'],
      ['/var/lib/../tmp', '/var/tmp', 'yes', 'no'],
      ['/tmpx', '/tmpx'],
    ] as const) {
      const unit = unitOf({ [variable]: path });
      const message = `${key} ${path}`;
      t.strictSame(lineOf(unit, 'ProtectHome'), [home], message);
      t.strictSame(lineOf(unit, 'PrivateTmp'), [temporary], message);
      if (key === 'data') t.strictSame(lineOf(unit, 'ReadWritePaths'), at === null ? [] : [at], message);
    }
  }
});

test('decider systemd prints a unit for this installation', async (t) => {
  const file = join(t.testdir({ 'c.json': '{"engine":{"backend":"cpu"}}' }), 'c.json');
  const { code, stdout } = await run(t, ['systemd', '--config', file, '--user', 'answers']);
  t.equal(code, 0);
  t.match(lineOf(stdout, 'ExecStart')[0], new RegExp(`^\\S+ \\S+bin/decider\\.mjs serve --config ${file}$`));
  t.strictSame(lineOf(stdout, 'User'), ['answers']);
  const refused = await run(t, ['systemd', '--user', 'a b']);
  t.equal(refused.code, 1);
  t.match(refused.stderr, /^--user: "a b" is not the name of a system user\.\n$/);
});

const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
const NO_SYSTEMD =
  analyze('--version').status !== 0 && 'SYSTEMD-ANALYZE IS NOT INSTALLED: apt-get install systemd';

/** The exposure that `systemd-analyze security` calls OK. */
const EXPOSURE_MAX = 3;

for (const backend of ['cpu', 'cuda', 'auto']) {
  test(`systemd-analyze accepts the unit (${backend})`, { skip: NO_SYSTEMD }, async (t) => {
    const file = join(t.testdir({}), 'decider.service');
    // What `verify` looks for: programs that exist.
    const own = { command: [process.execPath, process.execPath] };
    const unit = unitOf({ DECIDER_ENGINE_BACKEND: backend }, own).replace(
      /^After=.*$/m,
      'After=network.target',
    );
    writeFileSync(file, unit.replace(/^ExecStartPre=.*$/m, 'ExecStartPre=+-/bin/true'));
    const { status, stderr } = analyze('verify', '--recursive-errors=no', file);
    t.equal(status, 0, stderr);
    t.notMatch(stderr, /decider\.service/, stderr);
    const offline = analyze('security', '--offline=true', file);
    // Versions before 250 cannot look at a file.
    if (offline.status !== 0 && /offline/.test(offline.stderr)) return;
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(offline.stdout)?.[1]);
    t.ok(exposure <= EXPOSURE_MAX, `exposure ${exposure}`);
  });
}

/** A folder with a `systemd-notify` that writes its arguments to a file. */
function recordingNotify(t: Test): { folder: string; told: () => string } {
  const folder = t.testdir({ told: '' });
  const file = join(folder, 'systemd-notify');
  writeFileSync(file, `#!/bin/sh\necho "$@" >>${join(folder, 'told')}\n`);
  chmodSync(file, 0o755);
  return { folder, told: () => readFileSync(join(folder, 'told'), 'utf8') };
}

test('serve tells systemd that it is ready, and that it stops', async (t) => {
  const { folder, told } = recordingNotify(t);
  const command = decider(t, ['serve'], {
    DECIDER_PORT: '0',
    DECIDER_MODELS: modelsFolder(join(folder, 'm')),
    NOTIFY_SOCKET: '/run/systemd/notify',
    PATH: `${folder}:${process.env.PATH}`,
  });
  await command.line(/^try: /);
  await until(() => told() === 'READY=1\n');
  command.child.kill('SIGTERM');
  t.equal((await command.end()).code, 0);
  await until(() => told() === 'READY=1\nSTOPPING=1\n');
});

test('serve continues if systemd cannot be notified, and reports it', async (t) => {
  const folder = t.testdir({});
  const command = decider(t, ['serve'], {
    DECIDER_PORT: '0',
    DECIDER_MODELS: modelsFolder(folder),
    NOTIFY_SOCKET: '/run/systemd/notify',
    PATH: join(folder, 'nothing'),
  });
  await command.line(/^systemd was not told READY=1: spawn systemd-notify ENOENT$/);
  command.child.kill('SIGTERM');
  t.equal((await command.end()).code, 0);
});
