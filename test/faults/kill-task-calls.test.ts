// kill -9 of servers while a task is asked, labelled and fitted over HTTP: labels and fits whose calls were answered are
// there afterwards, and each fit as a whole.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Test, test } from 'tap';
import { type Asked, Cluster, ClusterNode } from '../support/faults/cluster.js';
import { freePort } from '../support/free-port.js';
import { NEEDS_POSTGRES } from '../support/postgres.js';
import { type Random, random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { dataFolder, modelsFolder } from '../support/server.js';
import { until } from '../support/until.js';

const FOLDER_KILLS = scaled({ short: 2, long: 5 }, 'KILLS');
const NODE_KILLS = scaled({ short: 2, long: 3 }, 'KILLS');
/** A process is killed some part of this after the last one has started. */
const RUN_MS_MAX = 1_500;
const QUESTIONS = { first: { type: 'noul' }, second: { type: 'choice', criteria: ['a', 'b'] } };
/** With few labels there is a threshold. */
const TASK = { questions: QUESTIONS, target_error: 0.5, confidence: 0.5 };
const EXPECTED = [
  { first: true, second: 'a' },
  { first: false, second: 'b' },
];
const LABELS_AT_ONCE = 5;
/** After this time every node uses the last fit: rule 17 of docs/contract.md allows a second. */
const KNOWN_MS = 1_500;
/** Between two calls of a caller: a key has a limit of calls per minute. */
const PAUSE_MS = 20;

/** The callers of one task, and what they know of it. */
class Callers {
  private readonly asked: string[] = [];
  /** Answers whose labels were stored by the answer of the call. */
  readonly labelled = new Set<string>();
  /** Answers whose labels may be stored: the call got no answer. */
  readonly unknown = new Set<string>();
  /** When the newest fit was made whose call was answered. */
  fitted = '';
  private isOver = false;
  private mayFit = true;
  private fitting: Promise<void> = Promise.resolve();

  constructor(
    private readonly nodes: readonly ClusterNode[],
    private readonly token: string,
    private readonly next: Random,
  ) {}

  /** Calls a node that runs. Null: it was killed before it answered. */
  async call(path: string, init: RequestInit = {}): Promise<Asked> {
    const ready = () => this.nodes.filter(({ isReady }) => isReady);
    while (ready().length === 0) await sleep(PAUSE_MS);
    const headers = { authorization: `Bearer ${this.token}` };
    return this.next.pick(ready()).ask(`/v1/tasks/t${path}`, { headers, ...init });
  }

  /** Runs `work` while there are no fits, and every node knows the last one. */
  async betweenFits(work: () => Promise<void>): Promise<void> {
    this.mayFit = false;
    await this.fitting;
    await sleep(KNOWN_MS);
    await work();
    this.mayFit = true;
  }

  /** Calls until `end`. */
  async run(): Promise<void> {
    await Promise.all([this.ask(), this.ask(), this.label(), this.fit()]);
  }

  end(): void {
    this.isOver = true;
  }

  private async ask(): Promise<void> {
    while (!this.isOver) {
      const body = JSON.stringify({ state: `Case ${this.next.integer(1_000)}` });
      const reply = await this.call('/decide', { method: 'POST', body });
      if (reply?.status === 200) this.asked.push(reply.requestId);
      await sleep(PAUSE_MS);
    }
  }

  private async label(): Promise<void> {
    while (!this.isOver) {
      await sleep(PAUSE_MS);
      if (this.asked.length === 0) continue;
      const ids = Array.from({ length: LABELS_AT_ONCE }, () => this.next.pick(this.asked));
      const lines = ids.map((id) => ({ request_id: id, expected: this.next.pick(EXPECTED) }));
      const body = lines.map((line) => JSON.stringify(line)).join('\n');
      const reply = await this.call('/labels', { method: 'POST', body });
      // A killed node had not written the last answers; a call with such a label stores none.
      if (reply?.status === 200) for (const id of ids) this.labelled.add(id);
      else if (reply === null || reply.status >= 500) for (const id of ids) this.unknown.add(id);
    }
  }

  private async fit(): Promise<void> {
    while (!this.isOver) {
      if (this.mayFit) {
        this.fitting = this.fitOnce();
        await this.fitting;
      }
      await sleep(5 * PAUSE_MS);
    }
  }

  private async fitOnce(): Promise<void> {
    const reply = await this.call('/fit', { method: 'POST' });
    if (reply?.status === 200) this.fitted = JSON.parse(reply.text).fitted_at;
  }
}

async function killAgainAndAgain(t: Test, nodes: readonly ClusterNode[], token: string, kills: number) {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const callers = new Callers(nodes, token, next);
  await callers.call('', { method: 'PUT', body: JSON.stringify(TASK) });
  const running = callers.run();
  try {
    for (let round = 0; round < kills; round += 1) {
      await sleep(next.integer(RUN_MS_MAX));
      const killed = next.pick(nodes);
      await killed.kill();
      await killed.start();
      if (round % 3 === 2) await callers.betweenFits(() => check(t, callers));
    }
  } finally {
    callers.end();
    await running;
  }
  await callers.betweenFits(() => check(t, callers));
  t.comment(`${callers.labelled.size} labelled answers, ${callers.unknown.size} of unknown outcome`);
  t.ok(callers.labelled.size > 0 && callers.fitted !== '');
}

/** The task, once a node shows it: on a busy machine one may be away from its database. */
async function shownBy(callers: Callers): Promise<string> {
  let shown: Asked = null;
  await until(async () => {
    shown = await callers.call('');
    return shown !== null && shown.status < 500;
  });
  const { status, text } = shown as unknown as NonNullable<Asked>;
  if (status !== 200) throw new Error(`status ${status}`);
  return text;
}

/** Compares what is stored with what the callers knew before. */
async function check(t: Test, callers: Callers): Promise<void> {
  const labels = callers.labelled.size;
  const { fitted } = callers;
  const task = JSON.parse(await shownBy(callers));
  const most = new Set([...callers.labelled, ...callers.unknown]).size + LABELS_AT_ONCE;
  t.ok(task.labels >= labels && task.labels <= most, `${task.labels} labels of ${labels} to ${most}`);
  if (fitted === '') return;
  t.ok(task.fit.fitted_at >= fitted, `a fit of ${task.fit.fitted_at}, ${fitted} or later`);
  t.strictSame(Object.keys(task.fit.questions), Object.keys(QUESTIONS));
  t.strictSame(Object.keys(task.drift), Object.keys(QUESTIONS));
  const decided = await callers.call('/decide', { method: 'POST', body: '{"state":"x"}' });
  for (const [name, answer] of Object.entries(JSON.parse(decided?.text ?? '{}').answers ?? {})) {
    const { threshold } = task.fit.questions[name];
    t.equal((answer as { accept: boolean | null }).accept === null, (threshold ?? null) === null, name);
  }
}

test(`data folder, ${FOLDER_KILLS} kills: no label and no fit is lost`, async (t) => {
  const port = await freePort();
  const node = new ClusterNode(t, 'server', `http://127.0.0.1:${port}`, {
    DECIDER_MODELS: modelsFolder(t.testdir()),
    DECIDER_LOG_LEVEL: 'silent',
    DECIDER_PORT: String(port),
    DECIDER_DATA: dataFolder(t),
  });
  t.teardown(() => node.kill());
  await node.start();
  await killAgainAndAgain(t, [node], await node.token(), FOLDER_KILLS);
});

test(`database, ${NODE_KILLS} kills of two nodes: no label and no fit is lost`, NEEDS_POSTGRES, async (t) => {
  const { nodes, token } = await Cluster.start(t, 2);
  await killAgainAndAgain(t, nodes, token, NODE_KILLS);
});
