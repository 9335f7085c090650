import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { openStore, reconcile } from '../../../src/storage/folder/index.js';
import { decider } from '../cli.js';
import type { Random } from '../random.js';
import { dataFolder, modelsFolder } from '../server.js';
import { until } from '../until.js';

const CLIENTS = 8;
/** A server is killed after some part of this much load. */
const LOAD_MS_MAX = 800;
/**
 * Charges are on the disk 50 ms and a commit after their answer; this is how long a commit may take on a machine
 * that does other things, before the test calls it a loss.
 */
const WINDOW_MS = 2_000;

interface Answered {
  readonly at: number;
  readonly tokens: number;
}

/** Sends requests until the server is gone. */
async function load(url: string, token: string, answered: Answered[]): Promise<void> {
  const body = JSON.stringify({ state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const client = async () => {
    for (;;) {
      const response = await fetch(`${url}/v1/decide`, { method: 'POST', headers, body });
      const { usage } = (await response.json()) as { usage: { input_tokens: number } };
      answered.push({ at: performance.now(), tokens: usage.input_tokens });
    }
  };
  await Promise.allSettled(Array.from({ length: CLIENTS }, client));
}

/**
 * Kills a loaded server repeatedly, on one data folder. After each kill, the ledger on the disk adds up, nothing is charged
 * that was neither answered nor in flight, and everything is charged that was answered WINDOW_MS or longer before the kill.
 */
export async function killAgainAndAgain(t: Test, transport: string, kills: number, next: Random) {
  const environment = {
    DECIDER_PORT: '0',
    DECIDER_DATA: dataFolder(t),
    DECIDER_MODELS: modelsFolder(t.testdir()),
    DECIDER_HTTP_TRANSPORT: transport,
    DECIDER_LOG_LEVEL: 'silent',
  };
  const store = openStore(environment.DECIDER_DATA);
  let token = '';
  let charged = 0;
  let requests = 0;
  let lost = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const command = decider(t, ['serve'], environment);
    const url = (await command.line(/^listening on /)).slice('listening on '.length);
    token ||= (await command.line(/^token: /)).slice('token: '.length);
    const answered: Answered[] = [];
    const loading = load(url, token, answered);
    // At least once not before the first answers, however slow the machine is.
    if (kill === 0) await until(() => answered.length > CLIENTS);
    await sleep(next.integer(LOAD_MS_MAX));
    const at = performance.now();
    command.child.kill('SIGKILL');
    await once(command.child, 'exit');
    await loading;

    // If a process was killed right after a commit, LMDB shows that commit only after the next write.
    store.change(() => {});
    const { books, problems } = reconcile(store);
    t.strictSame(problems, [], `kill ${kill}`);
    const all = Number((books[0]?.charged ?? 0n) / 1_500n);
    const one = answered[0]?.tokens ?? 0;
    const sum = answered.reduce((total, { tokens }) => total + tokens, 0);
    const old = answered.filter((answer) => answer.at < at - WINDOW_MS);
    const due = old.reduce((total, { tokens }) => total + tokens, 0);
    t.ok(all - charged <= sum + CLIENTS * one, `kill ${kill}: ${all - charged} charged, ${sum} answered`);
    t.ok(all - charged >= due, `kill ${kill}: ${all - charged} charged, ${due} answered before the window`);
    lost += Math.max(0, sum - (all - charged));
    charged = all;
    requests += answered.length;
  }
  t.ok(requests > kills, `${requests} requests were answered; ${lost} tokens of them were not charged`);
}
