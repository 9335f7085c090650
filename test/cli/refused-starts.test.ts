// What a start refuses is a problem of `decider doctor`, and leaves no store behind: a backup can still be restored there.
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { OperatorError } from '../../src/base/index.js';
import { examine } from '../../src/cli/doctor.js';
import type { Finding } from '../../src/cli/findings.js';
import { examineHost } from '../../src/cli/host/examine.js';
import { thisHost } from '../../src/cli/host/probes.js';
import { startServer } from '../../src/server/index.js';
import { loadSettings } from '../../src/settings/index.js';
import { loadOpenTelemetry } from '../../src/telemetry/index.js';
import { freePort } from '../support/free-port.js';
import { modelsFolder, testDependencies } from '../support/server.js';
import { sources } from '../support/sources.js';

interface Row {
  /** The check of doctor that has the problem. */
  readonly check: string;
  readonly config: Record<string, unknown>;
  /** Changes the folder of the test. */
  readonly prepare?: (folder: string) => unknown;
}

const PORT = await freePort();
const open = { http: { allow_plain: true, transport: 'node' } };
/** Writes the token of the operator listener. */
const token = (text: string, mode: number) => (folder: string) => {
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data/operator.token'), text);
  chmodSync(join(folder, 'data/operator.token'), mode);
};

const ROWS: Readonly<Record<string, Row>> = {
  'operator.token is short': { check: 'settings', config: { operator: { port: PORT, token: 'short' } } },
  'master_key is short': { check: 'settings', config: { master_key: 'xyz' } },
  'a database without a master key': { check: 'settings', config: { store: { url: 'postgres://x/y' } } },
  'gateway.model is missing': { check: 'gateway', config: { gateway: { port: PORT } } },
  'gateway.model is unknown': { check: 'gateway', config: { gateway: { port: PORT, model: 'none' } } },
  'operator.port is port': { check: 'ports', config: { port: PORT, operator: { port: PORT } } },
  'gateway.port is port': { check: 'ports', config: { port: PORT, gateway: { port: PORT, model: 'tiny' } } },
  'gateway.port is operator.port, on all addresses': {
    check: 'ports',
    config: {
      ...open,
      gateway: { host: '0.0.0.0', port: PORT, model: 'tiny' },
      operator: { host: '127.0.0.2', port: PORT },
    },
  },
  'one port on two names of an address': {
    check: `port ${PORT}`,
    config: { port: PORT, operator: { port: PORT, host: 'localhost' } },
  },
  'a price class is missing': { check: 'prices', config: { billing: { prices: 'x=1/1' } } },
  'host is exposed': { check: 'network', config: { host: '0.0.0.0' } },
  'operator.host is exposed': { check: 'network', config: { operator: { host: '0.0.0.0', port: PORT } } },
  'tls.key is not set': { check: 'certificate', config: { tls: { cert: '/etc/hostname' } } },
  'tls.cert is missing': { check: 'certificate', config: { tls: { cert: '/none', key: '/none' } } },
  'the token file is open': {
    check: 'operator token',
    config: { operator: { port: PORT } },
    prepare: token('x'.repeat(40), 0o644),
  },
  ...(process.getuid?.() === 0 && {
    'the token file belongs to another user': {
      check: 'operator token',
      config: { operator: { port: PORT } },
      prepare: (folder: string) => {
        token('x'.repeat(40), 0o600)(folder);
        chownSync(join(folder, 'data/operator.token'), 1_001, 1_001);
      },
    },
  }),
  'the token file is short': {
    check: 'operator token',
    config: { operator: { port: PORT } },
    prepare: token('short', 0o600),
  },
  'the token file is a folder': {
    check: 'operator token',
    config: { operator: { port: PORT } },
    prepare: (folder) => mkdirSync(join(folder, 'data/operator.token'), { recursive: true, mode: 0o700 }),
  },
  'data is a file': {
    check: 'data',
    config: {},
    prepare: (folder) => writeFileSync(join(folder, 'data'), ''),
  },
  'data is a device': { check: 'data', config: { data: '/dev/null' } },
  'no manifest': { check: 'models', config: { models: '/none' } },
  'engine.devices is unknown': { check: 'backend', config: { engine: { devices: ['CUDA7'] } } },
  'a device of the manifest is unknown': {
    check: 'devices',
    config: {},
    prepare: (folder) => modelsFolder(folder, {}, { engine: { devices: ['CUDA7'] } }),
  },
  'no room for images': {
    check: 'devices',
    config: { engine: { cells: 256 } },
    prepare: (folder) => modelsFolder(folder, {}, {}, 'gemma4v'),
  },
  ...(hasTraces()
    ? {}
    : { 'no SDK of traces': { check: 'traces', config: { traces: { url: 'http://x/' } } } }),
};

function hasTraces(): boolean {
  try {
    loadOpenTelemetry();
    return true;
  } catch {
    return false;
  }
}

/** The checks of doctor that find a problem, and all of them. */
async function diagnosis(
  config: string,
): Promise<{ readonly problems: string[]; readonly checks: string[] }> {
  const found: Finding[] = [];
  const findings = examine({ config }, {});
  let next = await findings.next();
  for (; next.done !== true; next = await findings.next()) found.push(next.value);
  const settings = next.value;
  const probes = { ...thisHost, computeCapabilities: async () => [], isClockSynchronized: async () => true };
  if (settings !== null)
    for await (const finding of examineHost(settings, false, probes, Date)) found.push(finding);
  const problems = found.filter(({ ok }) => !ok).map(({ check }) => check);
  return { problems, checks: found.map(({ check }) => check) };
}

/** Why a server does not start. */
async function refusal(t: Test, config: string): Promise<Error> {
  try {
    const server = await startServer(loadSettings({}, config), testDependencies().dependencies);
    t.teardown(() => server.stop());
  } catch (error) {
    return error as Error;
  }
  return new Error('it starts');
}

/** The folder and the configuration file of a test. */
function place(t: Test, own: Record<string, unknown>): { readonly folder: string; readonly config: string } {
  const folder = t.testdir({});
  const config = join(folder, 'decider.json');
  const settings = {
    port: 0,
    data: join(folder, 'data'),
    models: modelsFolder(folder),
    http: { transport: 'node' },
    ...own,
    engine: { backend: 'cpu', threads: 1, memory_check: false, ...(own.engine as object) },
  };
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  return { folder, config };
}

/** The lines that have thrown a StartError, by the end of the path of their file. */
const thrownAt = new Set<string>();

for (const [name, { check, config: own, prepare }] of Object.entries(ROWS)) {
  test(`a start that is refused: ${name}`, async (t) => {
    const { folder, config } = place(t, own);
    prepare?.(folder);
    const { problems, checks } = await diagnosis(config);
    t.ok(problems.includes(check), problems.join(', '));
    const last = check === 'settings' ? 'settings' : 'certificate';
    t.ok(checks.includes(last), 'the checks after it are made');
    const error = await refusal(t, config);
    t.ok(error instanceof OperatorError, error.message);
    if (error.name === 'StartError') thrownAt.add(/\/server\/\S+\.js:\d+/.exec(error.stack ?? '')?.[0] ?? '');
    if (!check.startsWith('port ')) t.notOk(existsSync(join(folder, 'data/store')), 'nothing is created');
  });
}

test('each StartError of the server has a row above', (t) => {
  for (const { path, text } of sources('src/server')) {
    const file = path.replace(/^src/, '').replace(/ts$/, 'js');
    const throws = text.split('new StartError(').length - 1;
    const seen = [...thrownAt].filter((at) => at.startsWith(`${file}:`)).length;
    if (hasTraces() && file.endsWith('/request-traces.js')) continue;
    t.equal(seen, throws, file);
  }
  t.end();
});

test('a port that another program uses', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const { config } = place(t, { port });
  t.strictSame((await diagnosis(config)).problems, [`port ${port}`]);
  t.match(await refusal(t, config), { name: 'ListenError' });
});

test('all is well', async (t) => {
  const operator = { port: await freePort(), token: 'x'.repeat(32) };
  const { config } = place(t, { gateway: { port: await freePort(), model: 'tiny' }, operator });
  t.strictSame((await diagnosis(config)).problems, []);
});
