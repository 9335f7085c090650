// SIGUSR1 opens the debugger of a process of Node.js that has no handler for it.
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { entryFile } from '../../src/base/index.js';
import { Command } from '../support/cli.js';
import { dataFolder, modelsFolder } from '../support/server.js';
import { ROOT, sources } from '../support/sources.js';

const BIN = join(ROOT, 'bin/decider.mjs');

/** The modules that processes start with: only for a process is the URL of `entryFile` made a path. */
function processEntries(): string[] {
  return sources('src').flatMap(({ text }) =>
    [...text.matchAll(/fileURLToPath\(entryFile\('([^']+)'\)\)/g)].map(([, entry = '']) => entry),
  );
}

test('every process of the program has a handler of SIGUSR1', async (t) => {
  const folder = t.testdir({});
  const preload = join(folder, 'count.cjs');
  writeFileSync(
    preload,
    `process.on('exit', () => require('node:fs').writeSync(2, 'handlers: ' + process.listenerCount('SIGUSR1') + '\\n'));`,
  );
  const entries = processEntries();
  t.ok(entries.length >= 5, entries.join(', '));
  const files = [BIN, ...entries.map((entry) => fileURLToPath(entryFile(entry)))];
  for (const file of files) {
    // Without a task, each of them ends.
    const { stderr } = spawnSync(process.execPath, ['--require', preload, file, '--version'], {
      input: '',
      encoding: 'utf8',
      stdio: ['pipe', 'ignore', 'pipe', 'ignore'],
    });
    t.match(stderr, /^handlers: 1$/m, file);
  }
});

test('serve: SIGUSR1 opens no debugger and does not end the server', async (t) => {
  const environment = {
    ...process.env,
    DECIDER_DATA: dataFolder(t),
    DECIDER_MODELS: modelsFolder(t.testdir()),
    DECIDER_PORT: '0',
    DECIDER_HTTP_TRANSPORT: 'node',
    DECIDER_ENGINE_MEMORY_CHECK: 'false',
  };
  const child = spawn(process.execPath, [BIN, 'serve'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const command = new Command(child);
  const url = (await command.line(/^listening on /)).slice('listening on '.length);
  child.kill('SIGUSR1');
  t.equal((await fetch(`${url}/health`)).status, 200);
  child.kill('SIGTERM');
  const { code, stderr } = await command.end();
  t.equal(code, 0);
  t.notMatch(stderr, /Debugger/i);
});
