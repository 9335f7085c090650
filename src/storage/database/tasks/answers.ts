import { type Clock, nextTurn, StoreError } from '../../../base/index.js';
import {
  type AnswerSettled,
  sealAnswer,
  type Task,
  type TaskAnswer,
  type TaskBounds,
  workspaceAnswersMax,
} from '../../../tasks/index.js';
import type { Database, Transaction } from '../postgres/database.js';
import { isOutage, StatementError } from '../postgres/database-errors.js';
import { guarded } from '../postgres/schema/format.js';
import { countAnswers, countOf, insertAnswers, keepAnswers, type NewAnswer } from './answer-rows.js';

/** Answers are written together, this many milliseconds after the first of them. */
const ANSWERS_DELAY_MS = 250;
/** Within this many milliseconds of an answer, a database that works has it. */
export const ANSWERS_SEEN_MS = 2 * ANSWERS_DELAY_MS;
/** Answers that wait for the database; further ones are not kept. */
export const WAITING_ANSWERS_MAX = 10_000;
/** Answers of one transaction. */
const WRITTEN_MAX = 1_000;
/** Answers that are encrypted in one turn of the event loop: about 2 ms. */
const TURN_ANSWERS = 64;
/** The pause before a failed write is tried again, in milliseconds. */
const RETRY_MS = 1_000;
/** The counts of all workspaces are read again after this many milliseconds. */
const COUNTS_MS = 10_000;

interface Parts {
  readonly database: Database;
  readonly clock: Clock;
  /** The data key of a task; undefined if it was deleted. */
  keyOf(task: Task): Promise<Buffer | undefined>;
  onError(error: unknown): void;
}

interface Waiting {
  readonly task: Task;
  readonly answer: TaskAnswer;
  /** When it was answered, in monotonic milliseconds. */
  readonly answered: number;
  readonly settled: AnswerSettled;
}

/** Answers of a task that are to be written. */
interface Group {
  readonly task: Task;
  readonly answers: readonly NewAnswer[];
}

/**
 * The last answers of tasks. They are written some time after the response; a crash loses those that are not written. The
 * bounds of all tasks together can be exceeded by what the nodes write in COUNTS_MS.
 */
export class DatabaseAnswers {
  private waiting: Waiting[] = [];
  /** How many answers no longer wait: answer n, counted from 1, is written once this is n. */
  private ended = 0;
  private counts: ReadonlyMap<string, number> = new Map();
  private countedAt = Number.NEGATIVE_INFINITY;
  private bounds: TaskBounds | null = null;
  private writing: Promise<void> | null = null;
  private isFailing = false;
  private isStopped = false;
  private cancelWrite: (() => void) | null = null;

  constructor(private readonly parts: Parts) {}

  /** Answers are kept from now on. */
  start(bounds: TaskBounds): void {
    this.bounds = bounds;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    // What the database does not take now is lost.
    await this.flush().catch(() => {});
    this.cancelWrite?.();
  }

  /** Keeps an answer. `settled(false)` is called at once if too many wait already. */
  record(task: Task, answer: TaskAnswer, settled: AnswerSettled): void {
    if (this.bounds === null || this.waiting.length >= WAITING_ANSWERS_MAX) {
      settled(false);
      return;
    }
    this.waiting.push({ task, answer, answered: this.parts.clock.monotonic(), settled });
    this.writeAfter(ANSWERS_DELAY_MS);
  }

  /** How many answers of a task are kept, without those that wait. */
  count({ id }: Pick<Task, 'id'>): Promise<number> {
    return countOf(this.parts.database, id);
  }

  /**
   * Resolves when the answers that waited at the call are stored; later ones are not waited for. Rejects with
   * DatabaseUnavailable, StatementError, CommitUnknown.
   */
  async flush(): Promise<void> {
    const { bounds } = this;
    if (bounds === null) return;
    const last = this.ended + this.waiting.length;
    for (;;) {
      while (this.writing !== null) await this.writing.catch(() => {});
      if (this.ended >= last) break;
      this.cancelWrite?.();
      this.cancelWrite = null;
      this.writing = this.write(bounds).finally(() => {
        this.writing = null;
      });
      await this.writing;
    }
    if (this.waiting.length > 0) this.writeAfter(ANSWERS_DELAY_MS);
  }

  /** Writes the answers that have waited longest. */
  private async write(bounds: TaskBounds): Promise<void> {
    const taken = this.waiting.slice(0, WRITTEN_MAX);
    let kept: ReadonlySet<string>;
    try {
      await this.readCounts();
      kept = await this.store(await this.sealed(taken), bounds);
    } catch (error) {
      if (!this.isStopped) this.writeAfter(RETRY_MS);
      throw error;
    }
    this.waiting = this.waiting.slice(taken.length);
    this.ended += taken.length;
    for (const { task, settled } of taken) settled(kept.has(task.id));
  }

  /**
   * Writes groups in one transaction. If the database refuses a statement of it, each in one of its own, so that the task
   * whose answers are refused, which are reported and dropped, does not block the others. Returns the tasks that keep theirs.
   */
  private async store(groups: readonly Group[], bounds: TaskBounds): Promise<ReadonlySet<string>> {
    const { database } = this.parts;
    const put = (some: readonly Group[]) => guarded(database, (sql) => this.put(sql, some, bounds));
    try {
      const kept = await put(groups);
      this.isFailing = false;
      return new Set(kept);
    } catch (error) {
      if (!(error instanceof StatementError)) throw error;
    }
    const kept: string[] = [];
    for (const group of groups) {
      try {
        kept.push(...(await put([group])));
      } catch (error) {
        if (!(error instanceof StatementError)) throw error;
        this.report(error);
      }
    }
    return new Set(kept);
  }

  private async put(sql: Transaction, groups: readonly Group[], bounds: TaskBounds): Promise<string[]> {
    const { answersOfTask } = bounds;
    const kept: string[] = [];
    for (const { task, answers } of groups) {
      const isFull = this.isFull(task.workspace, bounds);
      const most = isFull ? Math.min(await countOf(sql, task.id), answersOfTask) : answersOfTask;
      await insertAnswers(sql, task.id, answers);
      await keepAnswers(sql, task.id, most);
      if (most > 0) kept.push(task.id);
    }
    return kept;
  }

  /** The answers by task, encrypted; without those of deleted tasks. */
  private async sealed(taken: readonly Waiting[]): Promise<Group[]> {
    const now = this.parts.clock.monotonic();
    const groups = new Map<string, Waiting[]>();
    for (const each of taken) {
      const group = groups.get(each.task.id) ?? [];
      group.push(each);
      groups.set(each.task.id, group);
    }
    const sealed: Group[] = [];
    let count = 0;
    // In one order on every node, so that no transaction waits for another one that waits for it.
    for (const [, answers] of [...groups].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const { task } = answers[0] as Waiting;
      const dataKey = await this.keyOf(task);
      if (dataKey === undefined) continue;
      const rows: NewAnswer[] = [];
      for (const { answer, answered } of answers) {
        const { at: _, ...row } = sealAnswer(dataKey, task, answer, 0);
        rows.push({ ...row, age: Math.round(now - answered) });
        count += 1;
        if (count % TURN_ANSWERS === 0) await nextTurn();
      }
      sealed.push({ task, answers: rows });
    }
    return sealed;
  }

  /** Undefined: the task was deleted, or its key is damaged. */
  private async keyOf(task: Task): Promise<Buffer | undefined> {
    try {
      return await this.parts.keyOf(task);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.parts.onError(error);
      return undefined;
    }
  }

  /** Whether the tasks of a workspace may have no further answers. */
  private isFull(workspace: string, bounds: TaskBounds): boolean {
    const max = bounds.maxAnswers();
    const total = [...this.counts.values()].reduce((sum, count) => sum + count, 0);
    return total >= max || (this.counts.get(workspace) ?? 0) >= workspaceAnswersMax(max);
  }

  private async readCounts(): Promise<void> {
    const now = this.parts.clock.monotonic();
    if (now - this.countedAt < COUNTS_MS) return;
    this.counts = await countAnswers(this.parts.database);
    this.countedAt = now;
  }

  private writeAfter(ms: number): void {
    this.cancelWrite ??= this.parts.clock.after(ms, () => {
      this.cancelWrite = null;
      this.flush().catch((error) => this.report(error));
    });
  }

  /** Reports an error once until all answers of a write are stored. The session reports an unreachable database. */
  private report(error: unknown): void {
    if (isOutage(error)) return;
    if (!this.isFailing) this.parts.onError(error);
    this.isFailing = true;
  }
}
