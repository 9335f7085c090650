import { setTimeout as sleep } from 'node:timers/promises';
import { call, callerHeaders, type Outcome, statusOf } from './call.js';
import type { JournalKey, Submission } from './journal.js';
import type { Reference } from './references.js';
import { pick, type Traffic } from './traffic.js';

const SUBMITTERS = 2;
const LINES_MAX = 40;
const PAUSE_MS_MAX = 3_000;
/** Fewer than a key may have. */
const OPEN_MAX = 4;
/** Of the batches, a part is cancelled after up to this many milliseconds. */
const CANCELLED_ONE_IN = 5;
const CANCEL_MS_MAX = 4_000;
const RETRY_MS = 400;

/** Submits and cancels batches. */
export class BatchTraffic {
  constructor(
    private readonly traffic: Traffic,
    private readonly goesOn: () => boolean,
  ) {}

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: SUBMITTERS }, () => this.submitAll()));
  }

  private async submitAll(): Promise<void> {
    const { next, journal } = this.traffic;
    const cancelling: Promise<void>[] = [];
    while (this.goesOn()) {
      await sleep(next.integer(PAUSE_MS_MAX));
      const usable = journal.keys.filter(({ exists, revoked }) => exists === 'yes' && revoked === 'no');
      const key = pick(next, usable);
      if (key === undefined || (await this.openCount(key)) >= OPEN_MAX) continue;
      const submission = await this.submit(key);
      if (next.integer(CANCELLED_ONE_IN) === 0) cancelling.push(this.cancel(submission));
    }
    await Promise.all(cancelling);
  }

  /** With an idempotency key, until it is acknowledged or refused; otherwise once. */
  private async submit(key: JournalKey): Promise<Submission> {
    const { next, journal, references } = this.traffic;
    const number = journal.submissions.length;
    const count = 1 + next.integer(LINES_MAX);
    const bodies = Array.from({ length: count }, () => next.integer(references.length));
    const submission: Submission = {
      number,
      key,
      bodies,
      isIdempotent: next.integer(3) > 0,
      ids: new Set(),
      stored: 'no',
      at: 0,
      cancelled: 'no',
      cancelledAt: 0,
    };
    journal.submissions.push(submission);
    const own = submission.isIdempotent ? { 'idempotency-key': `submission-${number}` } : {};
    const headers = callerHeaders(key.token, { 'content-type': 'application/jsonl', ...own });
    const body = fileOf(submission, references);
    do {
      const outcome = await call(`${this.url}/v1/batches`, { method: 'POST', headers, body });
      journal.count('submit', statusOf(outcome));
      this.note(submission, outcome);
      if (!isRetried(outcome)) break;
      await sleep(RETRY_MS);
    } while (submission.isIdempotent && this.goesOn());
    return submission;
  }

  private note(submission: Submission, outcome: Outcome): void {
    const { journal } = this.traffic;
    if (outcome.kind === 'not sent') return;
    if (outcome.kind === 'answered' && outcome.status === 200) {
      submission.ids.add((JSON.parse(outcome.text) as { id: string }).id);
      submission.stored = 'yes';
      submission.at = performance.now();
      return;
    }
    // A later attempt may be answered before an earlier one is done.
    if (outcome.kind === 'unknown' || outcome.status === 502) submission.stored = 'maybe';
    else if (![401, 402, 429, 503].includes(outcome.status))
      journal.violation(`a submission was answered ${outcome.status} ${outcome.text}`);
  }

  private async cancel(submission: Submission): Promise<void> {
    const { next, journal } = this.traffic;
    await sleep(next.integer(CANCEL_MS_MAX));
    const [id] = [...submission.ids].slice(-1);
    if (id === undefined) return;
    const headers = callerHeaders(submission.key.token);
    const outcome = await call(`${this.url}/v1/batches/${id}/cancel`, { method: 'POST', headers });
    journal.count('cancel', statusOf(outcome));
    if (outcome.kind === 'unknown') submission.cancelled = 'maybe';
    if (outcome.kind !== 'answered') return;
    if (outcome.status === 200) {
      submission.cancelled = 'yes';
      submission.cancelledAt = performance.now();
    } else if (outcome.status === 502) submission.cancelled = 'maybe';
    else if (outcome.status === 404 && (submission.stored === 'maybe' || journal.isLosing)) return;
    else if (![401, 409, 503].includes(outcome.status))
      journal.violation(`a cancellation was answered ${outcome.status} ${outcome.text}`);
  }

  private async openCount(key: JournalKey): Promise<number> {
    const outcome = await call(`${this.url}/v1/batches`, { headers: callerHeaders(key.token) });
    if (outcome.kind !== 'answered' || outcome.status !== 200) return Number.POSITIVE_INFINITY;
    const { data } = JSON.parse(outcome.text) as { data: { results_available: boolean }[] };
    return data.filter(({ results_available }) => !results_available).length;
  }

  private get url(): string {
    const { next, nodes } = this.traffic;
    return pick(next, nodes)?.url ?? '';
  }
}

const isRetried = (outcome: Outcome) =>
  outcome.kind !== 'answered' || [402, 429, 500, 502, 503].includes(outcome.status);

/** The file of a submission. */
export function fileOf({ number, bodies }: Submission, references: readonly Reference[]): string {
  return bodies
    .map((body, line) => {
      const { state, questions } = references[body] as Reference;
      return JSON.stringify({ custom_id: lineId(number, line), model: 'tiny', state, questions });
    })
    .join('\n');
}

export const lineId = (number: number, line: number) => `s${number}-${line}`;
