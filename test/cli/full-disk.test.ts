import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { Command } from '../support/cli.js';
import { dataFolder, modelsFolder } from '../support/server.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const NO_PRLIMIT = spawnSync('prlimit', ['--version']).status !== 0 && 'there is no prlimit here';
const BODY = JSON.stringify({ state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } });

test('serve: a last charge that cannot be written is reported at the end, with status 1', {
  skip: NO_PRLIMIT,
}, async (t) => {
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: {
      PATH: process.env.PATH,
      DECIDER_PORT: '0',
      DECIDER_DATA: dataFolder(t),
      DECIDER_MODELS: modelsFolder(t.testdir()),
      DECIDER_LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const command = new Command(child);
  const url = (await command.line(/^listening on /)).slice('listening on '.length);
  const token = (await command.line(/^token: /)).slice('token: '.length);
  spawnSync('prlimit', ['--pid', String(child.pid), '--fsize=0']);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  t.equal((await fetch(`${url}/v1/decide`, { method: 'POST', headers, body: BODY })).status, 200);
  child.kill('SIGTERM');
  const { code, stderr } = await command.end();
  t.equal(code, 1, `signal ${child.signalCode}`);
  t.match(stderr, /The data folder \S+ cannot be written/);
  t.notMatch(stderr, /^ +at /m, 'no stack');
});
