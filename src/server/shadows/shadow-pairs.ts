import { ApiError } from '../../api/index.js';
import type { Clock } from '../../base/index.js';
import { NO_SHADOW_ANSWERS, type ShadowCounts, withPair } from '../../statistics/index.js';
import {
  answerOf,
  calibrationsOf,
  fitOf,
  type NewPairs,
  type Task,
  type TaskStore,
} from '../../tasks/index.js';
import type { Log, Metrics } from '../../telemetry/index.js';
import type { BothDecisions } from './shadow-runs.js';

/** Pairs of answers are written together, this many milliseconds after the first of them. */
export const PAIRS_DELAY_MS = 1_000;
/** Pairs that wait for the storage; further ones are not counted. */
export const PAIRS_WAITING_MAX = 1_000;

/** The same for tasks of which `hasSameShadow` is true. */
const keyOfShadow = ({ id, version, shadow, shadowNumber = 0 }: Task): string =>
  [id, version, shadow?.model, shadowNumber].join('/');

/** The acceptance of a question without a fit in force. */
const NO_THRESHOLD = { temperature: 1, threshold: null };

interface Parts {
  readonly tasks: Pick<TaskStore, 'addPairs'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'error'>;
  readonly metrics: Metrics;
}

/** Pairs of one version, one shadow and two builds: counts of each question, and the answers of the shadow build. */
interface Group {
  readonly task: Task;
  readonly compared: Omit<NewPairs, 'questions' | 'answers'>;
  questions: readonly ShadowCounts[];
  readonly answers: NewPairs['answers'][number][];
}

/** Pairs of answers that are not stored yet. A crash loses them, and so does a storage that cannot be used. */
export class ShadowPairs {
  private groups = new Map<string, Group>();
  /** Pairs that are not stored yet, also those that are being written. */
  private waiting = 0;
  private writing: Promise<void> = Promise.resolve();
  private cancelWrite: (() => void) | null = null;

  constructor(private readonly parts: Parts) {}

  /** Counts the answers to a request. `reference`: what names the answer that was sent; see `TaskAnswer`. */
  add(task: Task, reference: string, { live, shadow }: BothDecisions): void {
    if (this.waiting >= PAIRS_WAITING_MAX) {
      this.count('dropped', 1);
      return;
    }
    const calibrations = calibrationsOf(live, shadow);
    const compared = { version: task.version, live: live.build, shadow: shadow.build, calibrations };
    const key = [keyOfShadow(task), live.build, shadow.build, calibrations].join('/');
    const sent = answerOf(task, reference, live).probabilities;
    const other = answerOf(task, reference, shadow).probabilities;
    const group = this.groups.get(key) ?? { task, compared, questions: [], answers: [] };
    const acceptances = fitOf(task, live)?.acceptances ?? [];
    group.questions = sent.map((probabilities, at): ShadowCounts => {
      const before = group.questions[at] ?? NO_SHADOW_ANSWERS;
      const pair = { live: probabilities, shadow: other[at] ?? [] };
      // A question that was asked in several orders of its options has no probabilities to compare.
      if (pair.live.length === 0 || pair.shadow.length === 0) return before;
      return withPair(before, pair, acceptances[at] ?? NO_THRESHOLD);
    });
    group.answers.push({ reference, probabilities: other });
    this.groups.set(key, group);
    this.waiting += 1;
    this.cancelWrite ??= this.parts.clock.after(PAIRS_DELAY_MS, () => void this.flush());
  }

  /** Resolves when the pairs so far are stored, or lost. Never rejects. */
  flush(): Promise<void> {
    this.cancelWrite?.();
    this.cancelWrite = null;
    const { groups } = this;
    this.groups = new Map();
    this.writing = this.writing.then(async () => {
      for (const group of groups.values()) await this.write(group);
    });
    return this.writing;
  }

  private async write({ task, compared, questions, answers }: Group): Promise<void> {
    const { tasks, log } = this.parts;
    const { length } = answers;
    let isStored = false;
    try {
      isStored = await tasks.addPairs(task, { ...compared, questions, answers });
    } catch (error) {
      // The storage has reported why it cannot be used.
      if (!(error instanceof ApiError))
        log.error({ err: error }, 'the answers of a shadow build are not counted');
    }
    this.waiting -= length;
    this.count(isStored ? 'counted' : 'dropped', length);
  }

  private count(event: 'counted' | 'dropped', pairs: number): void {
    this.parts.metrics.instruments.taskShadows.inc({ event }, pairs);
  }
}
