// kill -9 while batches run whose lines name a task: no line is lost or answered twice, and every answer that is kept is
// found by the ids of its line.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Test, test } from 'tap';
import { Cluster, ClusterNode } from '../support/faults/cluster.js';
import { freePort } from '../support/free-port.js';
import { NEEDS_POSTGRES } from '../support/postgres.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { dataFolder, modelsFolder } from '../support/server.js';
import { until } from '../support/until.js';

const FOLDER_KILLS = scaled({ short: 2, long: 6 }, 'KILLS');
const NODE_KILLS = scaled({ short: 2, long: 4 }, 'KILLS');
const LINES = 120;
/** A process is killed some part of this after a batch was submitted. */
const RUN_MS_MAX = 1_000;
const TASK = { questions: { q: { type: 'noul', instructions: 'Is it so?' } } };
const FILE = Array.from({ length: LINES }, (_, at) =>
  JSON.stringify({ custom_id: `line-${at}`, task: 't', state: `Case ${at}` }),
).join('\n');

interface ResultLine {
  readonly custom_id: string;
  readonly status: number | null;
  readonly response?: { readonly task: object };
}

/** The calls of one key, on a node that runs. */
function callsOf(node: () => ClusterNode, token: string) {
  const call = async (path: string, init: RequestInit = {}) => {
    const asked = await node().ask(path, { headers: { authorization: `Bearer ${token}` }, ...init });
    if (asked === null || asked.status >= 500) throw new Error(`${path}: ${asked?.status}`);
    return asked.text;
  };
  const post = (path: string, body: string) => call(path, { method: 'POST', body });
  return {
    put: () => call('/v1/tasks/t', { method: 'PUT', body: JSON.stringify(TASK) }),
    answers: async () => JSON.parse(await call('/v1/tasks/t')).answers as number,
    submit: async () => JSON.parse(await post('/v1/batches', FILE)).id as string,
    ids: async () => (JSON.parse(await call('/v1/batches')).data as { id: string }[]).map(({ id }) => id),
    isFinished: async (id: string) =>
      JSON.parse(await call(`/v1/batches/${id}`)).results_available as boolean,
    results: async (id: string): Promise<ResultLine[]> =>
      (await call(`/v1/batches/${id}/results`))
        .trimEnd()
        .split('\n')
        .map((each) => JSON.parse(each)),
    label: async (lines: readonly object[]) =>
      JSON.parse(await post('/v1/tasks/t/labels', lines.map((each) => JSON.stringify(each)).join('\n'))),
  };
}

type Calls = ReturnType<typeof callsOf>;

/** How many answers to the lines of a batch are found. */
async function labelled(calls: Calls, id: string): Promise<number> {
  let labels = Array.from({ length: LINES }, (_, at) => ({
    batch_id: id,
    custom_id: `line-${at}`,
    expected: { q: true },
  }));
  // A call stores all labels or none, and lists the first 100 that have no answer.
  while (labels.length > 0) {
    const { type, errors = [] } = await calls.label(labels);
    if (type === undefined) return labels.length;
    const missing = new Set((errors as { line: number; type: string }[]).map(({ line }) => line));
    if (errors.some((each: { type: string }) => each.type !== 'answer_not_found'))
      throw new Error(JSON.stringify(errors));
    labels = labels.filter((_, at) => !missing.has(at + 1));
  }
  return 0;
}

/** Kills nodes while batches run, then compares what is stored. Returns how many lines and how many kept answers there are. */
async function killAgainAndAgain(t: Test, nodes: readonly ClusterNode[], token: string, kills: number) {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const { integer, pick } = random(seed);
  const calls = callsOf(() => nodes.find(({ isReady }) => isReady) as ClusterNode, token);
  await calls.put();
  const acknowledged = new Set<string>();
  for (let round = 0; round < kills; round += 1) {
    if (acknowledged.size < 8) acknowledged.add(await calls.submit());
    await sleep(integer(RUN_MS_MAX));
    const killed = pick(nodes);
    await killed.kill();
    await killed.start();
  }
  const ids = await calls.ids();
  t.strictSame(
    ids.filter((id) => !acknowledged.has(id)),
    [],
  );
  t.equal(ids.length, acknowledged.size);
  for (const id of ids) {
    await until(() => calls.isFinished(id));
    const results = await calls.results(id);
    t.strictSame(
      results.map(({ custom_id, status }) => [custom_id, status]),
      Array.from({ length: LINES }, (_, at) => [`line-${at}`, 200]),
      'no line is lost or doubled',
    );
    t.ok(results.every(({ response }) => JSON.stringify(response?.task) === '{"name":"t","version":1}'));
  }
  // In a database, answers are written some time after their results, and when the node stops.
  await Promise.all(nodes.map((node) => node.stop()));
  await (nodes[0] as ClusterNode).start();
  const kept = await calls.answers();
  let found = 0;
  for (const id of ids) found += await labelled(calls, id);
  t.equal(found, kept, 'every kept answer is that of one line');
  t.comment(`${ids.length * LINES} lines, ${kept} answers kept`);
  return { lines: ids.length * LINES, kept };
}

test(`data folder, ${FOLDER_KILLS} kills: each line is answered once, and its answer kept once`, async (t) => {
  const port = await freePort();
  const node = new ClusterNode(t, 'server', `http://127.0.0.1:${port}`, {
    DECIDER_MODELS: modelsFolder(t.testdir()),
    DECIDER_LOG_LEVEL: 'silent',
    DECIDER_PORT: String(port),
    DECIDER_DATA: dataFolder(t),
  });
  t.teardown(() => node.kill());
  await node.start();
  const { lines, kept } = await killAgainAndAgain(t, [node], await node.token(), FOLDER_KILLS);
  t.equal(kept, lines, 'written in the transaction of the result');
});

test(`database, ${NODE_KILLS} kills of two nodes: no answer is kept twice`, NEEDS_POSTGRES, async (t) => {
  const { nodes, token } = await Cluster.start(t, 2);
  const { lines, kept } = await killAgainAndAgain(t, nodes, token, NODE_KILLS);
  t.ok(kept <= lines && kept > 0, `${kept} answers of ${lines} lines`);
});
