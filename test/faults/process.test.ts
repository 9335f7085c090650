import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Test, test } from 'tap';
import { decider } from '../support/cli.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { modelsFolder } from '../support/server.js';
import { until } from '../support/until.js';

const QUESTION = JSON.stringify({
  state: 'a word',
  questions: { q: { type: 'noul', instructions: 'Is it?' } },
});

async function serve(t: Test, environment: Record<string, string>) {
  const command = decider(t, ['serve'], {
    DECIDER_PORT: '0',
    DECIDER_MODELS: modelsFolder(t.testdir()),
    DECIDER_LOG_LEVEL: 'silent',
    ...environment,
  });
  const url = (await command.line(/^listening on /)).slice('listening on '.length);
  const token = (await command.line(/^token: /)).slice('token: '.length);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const decide = (state: string) =>
    fetch(`${url}/v1/decide`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ state, questions: { q: { type: 'noul', instructions: 'Is it?' } } }),
    });
  return { command, url, headers, decide };
}

test('many threads: a server with engine.threads=512 answers, and ends within its drain', async (t) => {
  const { command, url, decide } = await serve(t, { DECIDER_ENGINE_THREADS: '512' });
  t.match(command.lines.join('\n'), /^engine\.threads is 512, but \d+ cores/m);
  t.equal((await decide('a word '.repeat(100))).status, 200);
  const last = decide('another '.repeat(100));
  t.equal((await fetch(`${url}/health`)).status, 200);
  command.child.kill('SIGTERM');
  t.equal((await last).status, 200);
  t.equal((await command.end()).code, 0);
});

const NO_PRLIMIT =
  (process.platform !== 'linux' || spawnSync('prlimit', ['--version']).status !== 0) &&
  'SKIPPED: there is no prlimit here';
/** Below what a server has open already. */
const FEW = '10';
const CONNECTIONS = 20;
/** A core that spins takes 1,000, or what other programs leave of it. */
const CPU_MS_MAX = 100;
/** One that spins does so in all of them; collecting garbage, for example, does not. */
const SECONDS_MAX = 3;

/** User and system time of a process, in clock ticks of 10 ms. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** A request whose head the server has read. Its connection is not idle, and so is not closed for want of descriptors. */
async function requestInProgress(t: Test, url: string, authorization: Record<string, string>) {
  const headers = { ...authorization, expect: '100-continue', 'content-length': QUESTION.length };
  const sent = request(`${url}/v1/decide`, { method: 'POST', headers, agent: false });
  t.teardown(() => sent.destroy());
  sent.flushHeaders();
  await once(sent, 'continue');
  return {
    async end() {
      sent.end(QUESTION);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    },
  };
}

for (const transport of TRANSPORTS) {
  test(`low limit of open files: connections that cannot be accepted use no processor time (${transport})`, {
    skip: NO_PRLIMIT,
  }, async (t) => {
    const { command, url, headers } = await serve(t, { DECIDER_HTTP_TRANSPORT: transport });
    const pid = command.child.pid as number;
    const limit = (files: string) => spawnSync('prlimit', ['--pid', String(pid), `--nofile=${files}:`]);
    const health = async () => (await fetch(`${url}/health`, { headers: { connection: 'close' } })).status;
    t.equal(await health(), 200);
    const open = await requestInProgress(t, url, headers);
    limit(FEW);
    const sockets = Array.from({ length: CONNECTIONS }, () =>
      connect(Number(new URL(url).port), '127.0.0.1'),
    );
    for (const socket of sockets) socket.on('error', () => {}).on('end', () => socket.destroy());
    t.teardown(() => sockets.map((socket) => socket.destroy()));
    t.equal(await open.end(), 200, 'a request in progress is answered');
    // Until it has noticed.
    await until(() => sockets.every((socket) => socket.destroyed));
    const taken: number[] = [];
    while (taken.length < SECONDS_MAX && Math.min(...taken) >= CPU_MS_MAX) {
      const before = cpuMs(pid);
      await sleep(1_000);
      taken.push(cpuMs(pid) - before);
    }
    t.ok(Math.min(...taken) < CPU_MS_MAX, `${taken.join(', ')} ms of CPU in a second each`);
    limit('1024');
    await until(async () => (await health().catch(() => 0)) === 200);
    command.child.kill('SIGTERM');
    t.equal((await command.end()).code, 0);
  });
}
