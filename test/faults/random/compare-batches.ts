import { lineId } from './batch-traffic.js';
import { call, callerHeaders } from './call.js';
import type { JournalKey, Submission } from './journal.js';
import type { Reference } from './references.js';
import { read, type Stored, type StoredBatch } from './stored.js';
import type { Traffic } from './traffic.js';

const FINISHED: readonly string[] = ['done', 'failed', 'cancelled'];

interface ResultLine {
  readonly custom_id: string;
  readonly status: number | null;
  readonly response?: object;
  readonly error?: { readonly type: string };
  readonly usage: { readonly input_tokens: number };
}

/** Whether every batch has finished. */
export async function allFinished({ workspaces }: Traffic, stored: Stored): Promise<boolean> {
  const all = await Promise.all(workspaces.map((workspace) => stored.batches(workspace)));
  return all.flat().every(({ state }) => FINISHED.includes(state));
}

/** Every submission has made the batches that its responses say, every line has one result, and each is charged once. */
export async function compareBatches(traffic: Traffic, stored: Stored): Promise<void> {
  for (const workspace of traffic.workspaces) {
    const batches = await stored.batches(workspace);
    const usage = await stored.usage(workspace);
    for (const key of traffic.journal.keys.filter((each) => each.workspace === workspace)) {
      const own = batches.filter((batch) => batch.key === key.id);
      const rows = usage.filter((row) => row.key === key.id && row.kind === 'batch');
      await new KeyBatches(traffic, key, own).compare({
        requests: rows.reduce((sum, row) => sum + row.requests, 0),
        tokens: rows.reduce((sum, row) => sum + row.input_tokens, 0),
      });
    }
  }
}

/** The batches of one key. */
class KeyBatches {
  private readonly submissions: readonly Submission[];

  constructor(
    private readonly traffic: Traffic,
    private readonly key: JournalKey,
    private readonly batches: readonly StoredBatch[],
  ) {
    this.submissions = traffic.journal.submissions.filter((submission) => submission.key === key);
  }

  async compare(charged: { readonly requests: number; readonly tokens: number }): Promise<void> {
    const { key, batches } = this;
    for (const { id, lines, done, failed } of batches)
      if (done + failed !== lines) this.violation(`${id} has ${done} + ${failed} of ${lines} lines`);
    const done = batches.reduce((sum, batch) => sum + batch.done, 0);
    if (done !== charged.requests)
      this.violation(`${done} lines of ${key.id} are done, and ${charged.requests} are charged`);
    this.compareCounts();
    const node = this.traffic.nodes[0];
    const probe = await call(`${node?.url}/v1/limits`, { headers: callerHeaders(key.token) });
    // The results of a revoked key cannot be collected.
    if (probe.kind !== 'answered' || probe.status !== 200) return;
    const found = new Map<number, StoredBatch[]>();
    let tokens = 0;
    for (const batch of batches) {
      const results = await this.results(batch);
      tokens += results.reduce((sum, { usage }) => sum + usage.input_tokens, 0);
      const number = Number(/^s(\d+)-/.exec(results[0]?.custom_id ?? '')?.[1]);
      found.set(number, [...(found.get(number) ?? []), batch]);
      const submission = this.submissions.find((each) => each.number === number);
      if (submission === undefined) this.violation(`${batch.id} has lines of no submission of its key`);
      else this.compareResults(submission, batch, results);
    }
    if (tokens !== charged.tokens)
      this.violation(`results of ${key.id} have ${tokens} tokens, and ${charged.tokens} are charged`);
    for (const submission of this.submissions)
      this.compareSubmission(submission, found.get(submission.number) ?? []);
  }

  private compareCounts(): void {
    const { batches, submissions } = this;
    const least = submissions.filter(({ stored }) => stored === 'yes').length;
    const most = submissions.filter(({ stored }) => stored !== 'no').length;
    if (batches.length < least || batches.length > most)
      this.violation(`${this.key.id} has ${batches.length} batches, not ${least} to ${most}`);
  }

  private compareSubmission({ number, stored, ids }: Submission, found: readonly StoredBatch[]): void {
    const [least, most] = [stored === 'yes' ? 1 : 0, stored === 'no' ? 0 : 1];
    const text = found.map(({ id }) => id).join(' and ');
    if (found.length < least || found.length > most)
      this.violation(`the submission ${number} made ${text || 'no batch'}; stored: ${stored}`);
    const isNamed = found.every(({ id }) => ids.has(id));
    if (stored === 'yes' && !isNamed)
      this.violation(`the submission ${number} made ${text}, not ${[...ids]}`);
  }

  private compareResults(submission: Submission, batch: StoredBatch, results: readonly ResultLine[]): void {
    const { number, bodies, cancelled } = submission;
    const ids = bodies.map((_, line) => lineId(number, line));
    if (results.map(({ custom_id }) => custom_id).join() !== ids.join())
      this.violation(`the results of ${batch.id} are not those of its lines`);
    const answered = results.filter(({ status }) => status === 200);
    if (answered.length !== batch.done)
      this.violation(`${batch.id} has ${answered.length} answers, and ${batch.done} lines are done`);
    for (const [line, result] of results.entries()) {
      const reference = this.traffic.references[bodies[line] as number] as Reference;
      if (result.status === 200) {
        if (JSON.stringify(result.response) !== JSON.stringify(JSON.parse(reference.response)))
          this.violation(`line ${line} of ${batch.id} differs from a live answer`);
      } else if (result.error?.type !== 'cancelled' || batch.state !== 'cancelled')
        this.violation(`line ${line} of ${batch.id} (${batch.state}) has ${JSON.stringify(result)}`);
    }
    const isCancelled = batch.state === 'cancelled';
    if ((cancelled === 'yes' && !isCancelled) || (cancelled === 'no' && isCancelled))
      this.violation(`${batch.id} is ${batch.state}; cancelled: ${cancelled}`);
  }

  private async results({ id }: StoredBatch): Promise<ResultLine[]> {
    const text = await read(`${this.traffic.nodes[0]?.url}/v1/batches/${id}/results`, this.key.token);
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ResultLine);
  }

  private violation(text: string): void {
    this.traffic.journal.violation(text);
  }
}
