import { ApiError } from '../api/index.js';
import type { Clock } from '../base/index.js';
import { type AnswerCode, answerCode } from '../statistics/index.js';
import type { Storage } from '../storage/index.js';
import { fitOf, type Task, type TaskAnswer, type TaskFit } from '../tasks/index.js';
import type { Log } from '../telemetry/index.js';
import type { TaskAlarms } from './task-alarms.js';

/** Answers are added to what is stored this many milliseconds after the first of them. */
export const MONITOR_DELAY_MS = 5_000;
/** Answers to questions that wait, of all tasks together; further ones are left out. */
export const MONITOR_WAITING_MAX = 1_000_000;

/** Answers that wait to be added to the monitor of a fit. */
interface Waiting {
  readonly task: Task;
  readonly fit: TaskFit;
  /** Per question of the version. */
  readonly codes: ReadonlyArray<AnswerCode[]>;
}

interface Parts {
  readonly storage: Pick<Storage, 'tasks'>;
  readonly alarms: Pick<TaskAlarms, 'observe'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
}

/**
 * Compares answers to tasks with the labelled answers of their fits. An answer is only noted; at intervals, all that were
 * noted are added to what is stored of their task. A crash loses those of the last interval.
 */
export class TaskMonitors {
  /** By task and build. */
  private waiting = new Map<string, Waiting>();
  private count = 0;
  private cancel: (() => void) | null = null;
  private adding: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(private readonly parts: Parts) {}

  /** Notes an answer, if a fit of its build is in force. Throws Error if its numbers are not probabilities. */
  add(task: Task, answer: TaskAnswer): void {
    const { version, probabilities } = answer;
    const fit = fitOf(task, answer);
    if (fit === undefined || fit.version !== version || this.count >= MONITOR_WAITING_MAX) return;
    const waiting = this.waitingOf(task, fit, probabilities.length);
    if (waiting === null) return;
    for (const [at, own] of probabilities.entries()) {
      // A question that did not fit into the context, or was asked in several orders, has nothing to compare.
      if (own.length === 0) continue;
      waiting.codes[at]?.push(answerCode(own));
      this.count += 1;
    }
    this.addLater();
  }

  /** Adds the answers that wait; what cannot be added is lost. Never rejects. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel?.();
    await this.flush();
  }

  /** Null: answers of a later fit wait. On a cluster, a node uses a task that it has read for some time. */
  private waitingOf(task: Task, fit: TaskFit, questions: number): Waiting | null {
    const key = `${task.id}/${fit.build}`;
    const known = this.waiting.get(key);
    if (known !== undefined && isSame(known.fit, fit)) return known;
    if (known !== undefined && isBefore(fit, known.fit)) return null;
    const made = { task, fit, codes: Array.from({ length: questions }, () => []) };
    // Answers before another fit are not compared with it.
    if (known !== undefined) this.count -= sizeOf(known);
    this.waiting.set(key, made);
    return made;
  }

  private addLater(): void {
    if (this.isStopped) return;
    this.cancel ??= this.parts.clock.after(MONITOR_DELAY_MS, () => {
      this.cancel = null;
      void this.flush();
    });
  }

  private flush(): Promise<void> {
    this.adding = this.adding.then(() => this.addAll());
    return this.adding;
  }

  private async addAll(): Promise<void> {
    const taken = [...this.waiting.values()];
    this.waiting = new Map();
    this.count = 0;
    for (const [at, each] of taken.entries()) {
      if (await this.addStored(each)) continue;
      // The storage cannot be used: all of them are added later.
      for (const left of taken.slice(at)) this.putBack(left);
      return;
    }
  }

  /** False: nothing was stored, and the storage cannot be used. */
  private async addStored({ task, fit, codes }: Waiting): Promise<boolean> {
    const { storage, alarms, log } = this.parts;
    try {
      const monitor = await storage.tasks.changeMonitor(task, fit.build, (each) =>
        each.addAnswers(fit, codes),
      );
      if (monitor !== undefined) await alarms.observe(task, fit.build, monitor);
    } catch (error) {
      if (error instanceof ApiError && error.type === 'overloaded') return false;
      // They may be stored: added again, they would count twice.
      log.error({ err: error, task: task.id }, 'answers to a task cannot be compared with its labels');
    }
    return true;
  }

  private putBack(earlier: Waiting): void {
    const later = this.waitingOf(earlier.task, earlier.fit, earlier.codes.length);
    const size = sizeOf(earlier);
    if (later === null || this.count + size > MONITOR_WAITING_MAX) return;
    const codes = earlier.codes.map((own, at) => [...own, ...(later.codes[at] ?? [])]);
    this.waiting.set(`${earlier.task.id}/${earlier.fit.build}`, { ...earlier, codes });
    this.count += size;
    this.addLater();
  }
}

const isSame = (one: TaskFit, other: TaskFit): boolean =>
  one.version === other.version && one.at === other.at;

/** Whether a fit of a task was made before another one of the same build. */
const isBefore = (one: TaskFit, other: TaskFit): boolean =>
  one.version < other.version || (one.version === other.version && one.at < other.at);

const sizeOf = ({ codes }: Waiting): number => codes.reduce((sum, own) => sum + own.length, 0);
