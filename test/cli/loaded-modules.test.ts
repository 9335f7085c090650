import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Test, test } from 'tap';
import { openStore } from '../../src/storage/folder/index.js';
import { writeRun } from '../support/evaluation/run-files.js';
import { dataFolder } from '../support/server.js';

const RECORDER = new URL('../support/record-modules.js', import.meta.url).href;
const SRC = new URL('../../src/', import.meta.url);

/** The URLs of the modules that a Node process loads, and its exit status. */
function modulesOf(t: Test, args: readonly string[], environment: Record<string, string> = {}) {
  const file = join(t.testdir({}), 'modules');
  writeFileSync(file, '');
  const env = { PATH: process.env.PATH, MODULES_FILE: file, ...environment };
  const { status } = spawnSync(process.execPath, ['--import', RECORDER, ...args], { env });
  return { status, modules: readFileSync(file, 'utf8').split('\n').filter(Boolean) };
}

test('a cheap command loads neither the engine nor the image, HTTP and schema libraries', async (t) => {
  const data = dataFolder(t);
  await openStore(data).close();
  const main = fileURLToPath(new URL('cli/main.js', SRC));
  for (const command of [['keys', 'list'], ['workspaces', 'list'], ['usage']]) {
    const { status, modules } = modulesOf(t, [main, ...command], { DECIDER_DATA: data });
    t.equal(status, 0);
    t.ok(modules.some((url) => url.endsWith('/src/cli/main.js')));
    for (const url of modules) {
      t.notMatch(
        url,
        /\/node_modules\/(pg|sharp|undici|typebox|cli-progress|uWebSockets\.js|zstddec|vega|pino|prom-client)\//,
      );
      t.notMatch(url, /\/src\/(engine|images|decide|batch|http|server|openapi|load|evaluation|report)\//);
    }
  }
});

test('a server on a database loads no LMDB, and one on a data folder no client of PostgreSQL', async (t) => {
  const main = fileURLToPath(new URL('cli/main.js', SRC));
  const serve = (environment: Record<string, string>) => {
    const { status, modules } = modulesOf(t, [main, 'serve'], {
      DECIDER_DATA: dataFolder(t),
      ...environment,
    });
    t.equal(status, 1);
    return modules;
  };
  // Nothing answers on this port.
  const database = serve({
    DECIDER_STORE_URL: 'postgresql://decider@127.0.0.1:1/decider',
    DECIDER_MASTER_KEY: '0'.repeat(64),
  });
  t.ok(database.some((url) => url.endsWith('/src/storage/database/database-storage.js')));
  t.ok(database.some((url) => /\/node_modules\/pg\//.test(url)));
  t.strictSame(
    database.filter((url) => /\/node_modules\/lmdb\/|\/src\/storage\/(folder|move)\//.test(url)),
    [],
  );
  // An address that this machine does not have: the data folder is open when the server listens.
  const folder = serve({ DECIDER_HOST: '203.0.113.1', DECIDER_HTTP_ALLOW_PLAIN: 'true' });
  t.ok(folder.some((url) => url.endsWith('/src/storage/folder/folder-storage.js')));
  t.ok(folder.some((url) => /\/node_modules\/lmdb\//.test(url)));
  t.strictSame(
    folder.filter((url) => /\/node_modules\/pg\/|\/src\/storage\/(database|move)\//.test(url)),
    [],
  );
});

test('a server does not load the 51 modules of OpenTelemetry for metrics that it does not have', (t) => {
  // The hooks of the other tests see no module that a CommonJS module requires.
  const program = `await import(${JSON.stringify(new URL('server/index.js', SRC).href)});
    const { createRequire } = await import('node:module');
    console.log(Object.keys(createRequire(import.meta.url).cache).join('\\n'));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  t.match(stdout, '/node_modules/prom-client/lib/counter.js');
  t.notMatch(stdout, '/node_modules/@opentelemetry/');
  t.end();
});

test('decider eval loads the chart library only for an HTML report', async (t) => {
  const folder = dataFolder(t);
  const { cases, archive } = writeRun(folder, { cases: 30, seed: 1, temperature: 1, groups: 5 });
  const main = fileURLToPath(new URL('cli/main.js', SRC));
  const report = [main, 'eval', cases, '--results', archive, '--resamples', '2'];
  const loaded = (...more: string[]) => {
    const { status, modules } = modulesOf(t, [...report, ...more], { DECIDER_DATA: folder });
    t.equal(status, 0);
    return modules.some((url) => /\/node_modules\/vega\//.test(url));
  };
  t.notOk(loaded());
  t.ok(loaded('--html', join(folder, 'report.html')));
});

for (const thread of [
  'engine/engine-worker.js',
  'server/prepare-thread.js',
  'batch/ingest/ingest-thread.js',
  'batch/ingest/helper-thread.js',
  'storage/folder/batches/reading/reading-thread.js',
  'storage/folder/lmdb/writer-thread.js',
]) {
  test(`the thread ${thread} loads none of the large libraries`, async (t) => {
    for (const folder of ['src', 'entries']) {
      // Outside a thread it has no work and may fail, but its modules are loaded first.
      const { modules } = modulesOf(t, [fileURLToPath(new URL(`../${folder}/${thread}`, SRC))]);
      t.ok(modules.some((url) => url.endsWith(`/${folder}/${thread}`)));
      for (const url of modules) {
        t.notMatch(url, /\/node_modules\/(typebox|prom-client|pino|sharp|zstddec|undici|piscina)\//);
      }
    }
  });
}
