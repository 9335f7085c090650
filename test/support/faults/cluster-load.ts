import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.js';
import { until } from '../until.js';
import type { Asked, Cluster, ClusterNode } from './cluster.js';

/** Between two requests of a client, in milliseconds, so that the limit per minute does not apply. */
const PAUSE_MS = 80;
const CLIENTS_PER_NODE = 2;
export const BATCH_LINES = 30;
/** Fewer than a key may have. */
const OPEN_BATCHES_MAX = 6;
const BATCH_PAUSE_MS = 600;
/** For a busy machine. */
const PATIENCE_MS = 240_000;

const BODY = JSON.stringify({ state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } });

const batchFile = Array.from({ length: BATCH_LINES }, (_, at) =>
  JSON.stringify({
    custom_id: `line-${at}`,
    model: 'tiny',
    state: `Case ${at % 7}`,
    questions: { q: { type: 'noul', instructions: `Is it ${at}?` } },
  }),
).join('\n');

export const headersOf = (token: string, own: Record<string, string> = {}) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  ...own,
});

/** One live request to a node. `patienceMs`: in place of the usual time. */
export const decideOn = (node: ClusterNode, token: string, patienceMs?: number) =>
  node.ask('/v1/decide', {
    method: 'POST',
    headers: headersOf(token),
    body: BODY,
    ...(patienceMs === undefined ? {} : { signal: AbortSignal.timeout(patienceMs) }),
  });

/** Like `decideOn`, again until the node can say yes or no: where it refuses with 503, nothing is charged. */
export async function decideCertainlyOn(node: ClusterNode, token: string): Promise<Asked> {
  for (;;) {
    const asked = await decideOn(node, token, PATIENCE_MS);
    if (asked?.status !== 503) return asked;
    await sleep(BATCH_PAUSE_MS);
  }
}

/** The results of a batch of a key of its own, which runs while nothing else does. */
export async function undisturbedResults(cluster: Cluster): Promise<string> {
  await cluster.command('workspaces', 'create', 'undisturbed');
  await cluster.command('workspaces', 'credit', 'undisturbed', '1');
  const { token } = await cluster.command('keys', 'create', '--workspace', 'undisturbed');
  const [node] = cluster.nodes as [ClusterNode];
  const read = (path: string) => node.ask(path, { headers: headersOf(token) });
  await until(async () => (await read('/v1/limits'))?.status === 200);
  const headers = headersOf(token, { 'content-type': 'application/jsonl' });
  const submitted = await node.ask('/v1/batches', { method: 'POST', headers, body: batchFile });
  const { id } = JSON.parse(submitted?.text ?? '') as { id: string };
  await until(async () => JSON.parse((await read(`/v1/batches/${id}`))?.text ?? '').results_available);
  return (await read(`/v1/batches/${id}/results`))?.text ?? '';
}

interface Answered {
  readonly node: ClusterNode;
  /** The start of the node that answered, counted from 1. */
  readonly life: number;
  readonly at: number;
  readonly tokens: number;
}

/** Sends live requests and batches of one key to all nodes of a cluster, and records the responses. */
export class ClusterLoad {
  readonly answered: Answered[] = [];
  /** Requests without a response: the node may have charged them. */
  unanswered = 0;
  /** Statuses other than 200, with how often they came. */
  readonly refused = new Map<number, number>();
  /** Batches that a node has acknowledged. Each was submitted until one did. */
  readonly batches = new Set<string>();
  private isRunning = true;
  private isAbandoned = false;
  private readonly running: Promise<unknown>;

  constructor(
    private readonly cluster: Cluster,
    private readonly next: Random,
  ) {
    const clients = cluster.nodes.flatMap((node) =>
      Array.from({ length: CLIENTS_PER_NODE }, () => this.sendRequests(node)),
    );
    this.running = Promise.all([...clients, this.submitBatches()]);
    // `stop` rejects with its error.
    this.running.catch(() => {});
  }

  /** Sends no more requests and batches; resolves when those in progress have ended. */
  async stop(): Promise<void> {
    this.isRunning = false;
    await this.running;
  }

  /** Stops at once, without waiting for nodes. */
  abandon(): void {
    this.isRunning = false;
    this.isAbandoned = true;
  }

  /** The results of every batch of the key by id, once all have finished. */
  async results(): Promise<Map<string, string>> {
    const { data } = JSON.parse(await this.read('/v1/batches')) as { data: { id: string }[] };
    const all = new Map<string, string>();
    for (const { id } of data) {
      await until(
        async () => JSON.parse(await this.read(`/v1/batches/${id}`)).results_available,
        PATIENCE_MS,
      );
      all.set(id, await this.read(`/v1/batches/${id}/results`));
    }
    return all;
  }

  /** The text of a response with 200; tries nodes until one gives it. */
  private async read(path: string): Promise<string> {
    let text = '';
    await until(async () => {
      if (this.isAbandoned) throw new Error('the load was abandoned');
      const asked = await this.someNode().ask(path, { headers: headersOf(this.cluster.token) });
      if (asked?.status !== 200) return false;
      text = asked.text;
      return true;
    }, PATIENCE_MS);
    return text;
  }

  private someNode(): ClusterNode {
    const { nodes, ready } = this.cluster;
    const among = ready.length > 0 ? ready : nodes;
    return among[this.next.integer(among.length)] as ClusterNode;
  }

  private async sendRequests(node: ClusterNode): Promise<void> {
    while (this.isRunning) {
      await sleep(PAUSE_MS);
      if (!node.isReady) continue;
      const life = node.lives;
      const asked = await decideOn(node, this.cluster.token);
      if (asked === null) this.unanswered += 1;
      else if (asked.status === 200) {
        const { usage } = JSON.parse(asked.text) as { usage: { input_tokens: number } };
        this.answered.push({ node, life, at: performance.now(), tokens: usage.input_tokens });
      } else this.refused.set(asked.status, (this.refused.get(asked.status) ?? 0) + 1);
    }
  }

  private async submitBatches(): Promise<void> {
    for (let number = 1; this.isRunning; number += 1) {
      const headers = headersOf(this.cluster.token, {
        'content-type': 'application/jsonl',
        'idempotency-key': `submission-${number}`,
      });
      // Also after the end of the load: the batch may exist.
      await until(async () => {
        if (this.isAbandoned) throw new Error('the load was abandoned');
        const asked = await this.someNode().ask('/v1/batches', { method: 'POST', headers, body: batchFile });
        // Without an answer, and with 502, it may exist or not.
        if (asked === null || asked.status === 502) return false;
        if (asked.status !== 200) {
          if (asked.status !== 503 && asked.status !== 429) throw new Error(`${asked.status} ${asked.text}`);
          await sleep(BATCH_PAUSE_MS);
          return false;
        }
        this.batches.add((JSON.parse(asked.text) as { id: string }).id);
        return true;
      }, PATIENCE_MS);
      do await sleep(BATCH_PAUSE_MS);
      while (this.isRunning && (await this.openBatches()) >= OPEN_BATCHES_MAX);
    }
  }

  private async openBatches(): Promise<number> {
    const { data } = JSON.parse(await this.read('/v1/batches')) as { data: { results_available: boolean }[] };
    return data.filter((batch) => !batch.results_available).length;
  }
}
