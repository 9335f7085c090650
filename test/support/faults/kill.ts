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
/** Units per token of a live request, at the default prices. */
const PRICE = 1_500n;

/** Sends requests until the server is gone. `answered`: the tokens of each answer. */
async function load(url: string, token: string, answered: number[]): Promise<void> {
  const body = JSON.stringify({ state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const client = async () => {
    for (;;) {
      const response = await fetch(`${url}/v1/decide`, { method: 'POST', headers, body });
      const { usage } = (await response.json()) as { usage: { input_tokens: number } };
      answered.push(usage.input_tokens);
    }
  };
  await Promise.allSettled(Array.from({ length: CLIENTS }, client));
}

/**
 * Kills a loaded server repeatedly, on one data folder. After each kill, the ledger on the disk adds up, nothing is charged
 * that was neither answered nor in flight, and what was written before the kill is still there: each answer is, a moment
 * after it.
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
  const chargedNow = () => Number((reconcile(store).books[0]?.charged ?? 0n) / PRICE);
  let charged = 0;
  let requests = 0;
  let lost = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const command = decider(t, ['serve'], environment);
    const url = (await command.line(/^listening on /)).slice('listening on '.length);
    token ||= (await command.line(/^token: /)).slice('token: '.length);
    const answered: number[] = [];
    const sum = () => answered.reduce((total, tokens) => total + tokens, 0);
    const loading = load(url, token, answered);
    // At least once not before the first answers, however slow the machine is.
    if (kill === 0) await until(() => answered.length > CLIENTS);
    await sleep(next.integer(LOAD_MS_MAX / 2));
    const due = sum();
    await until(() => chargedNow() - charged >= due);
    await sleep(next.integer(LOAD_MS_MAX / 2));
    await command.kill();
    await loading;

    // If a process was killed right after a commit, LMDB shows that commit only after the next write.
    store.change(() => {});
    t.strictSame(reconcile(store).problems, [], `kill ${kill}`);
    const all = chargedNow();
    const own = all - charged;
    const one = answered[0] ?? 0;
    t.ok(own <= sum() + CLIENTS * one, `kill ${kill}: ${own} charged, ${sum()} answered`);
    t.ok(own >= due, `kill ${kill}: ${own} charged, ${due} written before`);
    lost += Math.max(0, sum() - own);
    charged = all;
    requests += answered.length;
  }
  t.ok(requests > kills, `${requests} requests were answered; ${lost} tokens of them were not charged`);
}
