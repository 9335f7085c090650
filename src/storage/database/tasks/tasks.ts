import { auditEntry } from '../../../access/index.js';
import { LIMITS } from '../../../api/index.js';
import { type Clock, randomLetters, soundOf } from '../../../base/index.js';
import { randomDataKey } from '../../../sealing/index.js';
import {
  type AnswerSettled,
  HISTORY,
  hasSameShadow,
  type LabelledRows,
  type LabelOutcome,
  type NewLabel,
  type NewPairs,
  openFit,
  openHistory,
  openQuestions,
  openTask,
  type Promotion,
  requireUnchanged,
  type ShadowRecord,
  type StoredBefore,
  type StoredShadow,
  sealFit,
  sealPut,
  sealTask,
  type Task,
  type TaskAnswer,
  type TaskBounds,
  type TaskContent,
  type TaskFit,
  type TaskMonitor,
  type TaskPlace,
  type TaskStore,
  type TaskVersion,
  taskNotFound,
  withFit,
} from '../../../tasks/index.js';
import { addAuditEntry } from '../administration/audit-log.js';
import { inChange } from '../administration/change.js';
import { dataKey, insertDataKey } from '../batches/tables/values.js';
import { orCannotRead } from '../batches/unavailable.js';
import { certainTransaction } from '../postgres/certain.js';
import type { Database, Transaction } from '../postgres/database.js';
import type { Queryable } from '../postgres/statement.js';
import type { NodeSession } from '../session/fenced.js';
import { ANSWERS_SEEN_MS, DatabaseAnswers } from './answers.js';
import { allLabels, countLabels, findLabels } from './label-rows.js';
import { storeLabels } from './labels.js';
import { DatabaseMonitors } from './monitors.js';
import { DatabaseRetention } from './retention.js';
import { addPairs, deleteShadow, findShadow } from './shadows.js';
import { TaskCopies } from './task-copies.js';
import { TaskKeys } from './task-keys.js';
import {
  countTasks,
  deleteTask,
  type FoundTask,
  findFit,
  findTask,
  findVersion,
  listTasks,
  lockTasks,
  otherTasks,
  putFit,
  putTaskRow,
  putVersion,
} from './task-rows.js';
import { DOUBTS, orOutcomeUnknown } from './unknown-outcome.js';

type Identified = Pick<Task, 'id'>;

interface Parts {
  readonly database: Database;
  readonly session: Pick<NodeSession, 'id' | 'lost'>;
  /** Returns the current master key, 32 bytes. */
  readonly masterKey: () => Uint8Array;
  readonly clock: Clock;
  /** The most labelled answers of a task; `LIMITS.taskLabels` if absent. */
  readonly labelsMax?: number;
  /** Called with the error of a statement that was refused, and of a COMMIT without an answer. */
  onError(error: unknown): void;
}

/** The tasks of a cluster. The database is the truth: a node uses what it has read for a second at most. */
export class DatabaseTasks implements TaskStore {
  readonly answersSeenMs = ANSWERS_SEEN_MS;
  private readonly keys: TaskKeys;
  private readonly copies: TaskCopies;
  private readonly kept: DatabaseAnswers;
  private readonly monitors: DatabaseMonitors;
  private retention: DatabaseRetention | null = null;

  constructor(private readonly parts: Parts) {
    this.keys = new TaskKeys(parts.masterKey);
    const read = (place: TaskPlace) => this.orUnavailable(() => this.read(parts.database, place));
    this.copies = new TaskCopies(parts.clock, read);
    this.monitors = new DatabaseMonitors(this.keys);
    this.kept = new DatabaseAnswers({ ...parts, keyOf: (task) => this.keys.find(parts.database, task) });
  }

  start(bounds: TaskBounds): void {
    this.kept.start(bounds);
    this.retention = new DatabaseRetention({ ...this.parts, bounds });
    this.retention.start();
  }

  /** Writes the answers that wait, and deletes nothing more. */
  async stop(): Promise<void> {
    await Promise.all([this.retention?.stop(), this.kept.stop()]);
  }

  async label(task: Task, labels: readonly NewLabel[]): Promise<LabelOutcome> {
    // An answer may be labelled at once.
    await this.orUnavailable(() => this.kept.flush());
    const { outcome } = await this.change(task, () =>
      certainTransaction(
        this.parts.database,
        async (sql) => {
          const now = await lockTasks(sql, task.workspace);
          const found = await findTask(sql, task.workspace, task.name);
          requireUnchanged(found, task);
          const current = this.opened(task.workspace, found);
          const dataKey = this.keys.open(task.id, found.key);
          const { labelsMax = LIMITS.taskLabels } = this.parts;
          return storeLabels(sql, this.monitors, dataKey, current, labels, now, labelsMax);
        },
        async (sql, made) => {
          await lockTasks(sql, task.workspace);
          const [row] = made.rows;
          const found = row && (await findLabels(sql, task.id, [row.ref])).get(row.ref);
          return found?.expected === row?.expected ? made : null;
        },
      ),
    );
    return outcome;
  }

  labelled(task: Task, build: string): Promise<LabelledRows | undefined> {
    return this.orUnavailable(async () => {
      const { database } = this.parts;
      const found = await findTask(database, task.workspace, task.name);
      if (found?.id !== task.id) return undefined;
      return {
        dataKey: this.keys.open(task.id, found.key),
        rows: await allLabels(database, task.id, task.version, build),
      };
    });
  }

  putFit(task: Task, fit: TaskFit, report: string, monitor: TaskMonitor): Promise<boolean> {
    return this.change(task, () =>
      certainTransaction(
        this.parts.database,
        async (sql) => {
          await lockTasks(sql, task.workspace);
          const found = await findTask(sql, task.workspace, task.name);
          if (found?.id !== task.id) return false;
          const fitted = withFit(this.opened(task.workspace, found), fit);
          if (fitted === null) return false;
          const dataKey = this.keys.open(task.id, found.key);
          await putTaskRow(sql, task.workspace, task.name, sealTask(dataKey, fitted));
          await putFit(sql, task.id, fit.build, sealFit(dataKey, task, fit.build, report));
          await this.monitors.put(sql, dataKey, task, fit.build, monitor);
          return true;
        },
        async (sql, stored) => {
          await lockTasks(sql, task.workspace);
          const current = await this.read(sql, task);
          const found = current?.fits.find(({ build, at }) => build === fit.build && at >= fit.at);
          return !stored || found !== undefined ? stored : null;
        },
      ),
    );
  }

  fitReport(task: Task, build: string): Promise<string | undefined> {
    return this.orUnavailable(async () => {
      const found = await findFit(this.parts.database, task.id, build);
      return found && openFit(this.keys.open(task.id, found.key), task, build, found.sealed);
    });
  }

  async addPairs(task: Task, pairs: NewPairs): Promise<boolean> {
    const { database } = this.parts;
    // What was answered must be stored before it is changed.
    await this.orUnavailable(() => this.kept.flush());
    // Not repeated if the COMMIT gets no answer: pairs would be counted twice.
    return this.change(task, () =>
      database.transaction(async (sql) => {
        const now = await lockTasks(sql, task.workspace);
        const found = await findTask(sql, task.workspace, task.name);
        if (found === undefined || !hasSameShadow(this.opened(task.workspace, found), task)) return false;
        await addPairs(sql, this.keys.open(task.id, found.key), task, pairs, now);
        return true;
      }),
    );
  }

  counted(task: Pick<Task, 'id' | 'workspace' | 'name'>): Promise<ShadowRecord | undefined> {
    return this.orUnavailable(async () => {
      const { database } = this.parts;
      const found = await findTask(database, task.workspace, task.name);
      if (found?.id !== task.id) return undefined;
      return findShadow(database, this.keys.open(task.id, found.key), task);
    });
  }

  promote(
    place: TaskPlace,
    actor: string,
    decide: (before: StoredShadow, now: number) => Promotion,
    isRepeatable: boolean,
  ): Promise<Task> {
    const work = () =>
      inChange(this.parts.database, actor, async ({ transaction: sql }) => {
        const now = await lockTasks(sql, place.workspace);
        const before = await this.before(sql, place);
        const { task: current, questions } = before;
        const found = await findTask(sql, place.workspace, place.name);
        if (current === null || questions === null || found === undefined) throw taskNotFound();
        const counted = await findShadow(sql, this.keys.open(found.id, found.key), found);
        const { task, record } = decide({ ...before, task: current, questions, counted }, now);
        if (record === null) return task;
        await this.write(sql, task, current, questions);
        await addAuditEntry(sql, auditEntry(now, actor, record));
        return task;
      });
    return this.change(place, work, isRepeatable ? 'promotedByVersion' : 'promoted');
  }

  monitor(task: Task, build: string): Promise<TaskMonitor | undefined> {
    return this.orUnavailable(() => this.monitors.find(this.parts.database, task, build));
  }

  changeMonitor(
    task: Task,
    build: string,
    change: (monitor: TaskMonitor) => boolean,
  ): Promise<TaskMonitor | undefined> {
    return this.orUnknown('changed', () =>
      this.parts.database.transaction((sql) => this.monitors.change(sql, task, build, change)),
    );
  }

  async labels(task: Task): Promise<number> {
    const { current } = await this.orUnavailable(() => countLabels(this.parts.database, task));
    return current;
  }

  /** Resolves when the answers of this node are stored. */
  flush(): Promise<void> {
    return this.kept.flush();
  }

  record(task: Task, answer: TaskAnswer, settled: AnswerSettled = () => {}): void {
    this.kept.record(task, answer, settled);
  }

  answers(task: Task): Promise<number> {
    return this.orUnavailable(() => this.kept.count(task));
  }

  find(place: TaskPlace): Promise<Task | undefined> {
    return this.copies.find(place);
  }

  findNow(place: TaskPlace): Promise<Task | undefined> {
    this.copies.forget(place);
    return this.copies.find(place);
  }

  list(workspace: string): Promise<Task[]> {
    return this.orUnavailable(() => this.readAll(this.parts.database, workspace));
  }

  counts(workspace: string): ReturnType<TaskStore['counts']> {
    return this.orUnavailable(() => countTasks(this.parts.database, workspace));
  }

  questions(task: Identified, version: number): Promise<string | undefined> {
    return this.orUnavailable(() => this.readQuestions(this.parts.database, task, version));
  }

  versions(task: Identified): Promise<TaskVersion[] | undefined> {
    return this.orUnavailable(() => this.readHistory(this.parts.database, task));
  }

  async put(
    place: TaskPlace,
    content: TaskContent,
    decide: (before: StoredBefore, id: string, now: number) => Task,
  ): Promise<Task> {
    // The same in every attempt, so that the look-up after a lost COMMIT finds it.
    const made = { id: `task_${randomLetters(24)}`, dataKey: randomDataKey() };
    return this.change(place, () =>
      certainTransaction(
        this.parts.database,
        async (sql) => {
          const now = await lockTasks(sql, place.workspace);
          const before = await this.before(sql, place);
          const task = decide(before, made.id, now);
          if (task === before.task) return task;
          if (before.task === null) await insertDataKey(sql, task.id, this.keys.seal(task.id, made.dataKey));
          await this.write(sql, task, before.task, content.questions);
          return task;
        },
        async (sql, task) => {
          await lockTasks(sql, place.workspace);
          const found = await this.read(sql, place);
          // Another change may have followed.
          const isStored = found?.id === task.id && found.changed >= task.changed;
          return isStored && found.version >= task.version ? task : null;
        },
      ),
    );
  }

  remove(place: TaskPlace): Promise<boolean> {
    const work = () =>
      certainTransaction(
        this.parts.database,
        async (sql) => {
          await lockTasks(sql, place.workspace);
          return deleteTask(sql, place.workspace, place.name);
        },
        async (sql, removed) => {
          await lockTasks(sql, place.workspace);
          return (await findTask(sql, place.workspace, place.name)) === undefined ? removed : null;
        },
      );
    return this.change(place, work, 'deleted');
  }

  private async write(sql: Transaction, task: Task, before: Task | null, questions: string): Promise<void> {
    const { id, workspace, name } = task;
    const sealedKey = await dataKey(sql, id);
    if (sealedKey === undefined) throw new Error('a task has no data key');
    const history = (await this.readHistory(sql, task)) ?? [];
    const put = sealPut(this.keys.open(id, sealedKey), task, before, history, questions);
    await putTaskRow(sql, workspace, name, put.row);
    for (const [version, sealed] of put.versions) await putVersion(sql, id, version, sealed);
    if (task.shadow === null) await deleteShadow(sql, id);
  }

  private async before(sql: Queryable, place: TaskPlace): Promise<StoredBefore> {
    const task = (await this.read(sql, place)) ?? null;
    const questions = task === null ? null : ((await this.readQuestions(sql, task, task.version)) ?? null);
    return { task, questions, others: await otherTasks(sql, place.workspace, place.name) };
  }

  private async read(sql: Queryable, { workspace, name }: TaskPlace): Promise<Task | undefined> {
    const found = await findTask(sql, workspace, name);
    return found && this.opened(workspace, found);
  }

  private async readAll(sql: Queryable, workspace: string): Promise<Task[]> {
    const all = await listTasks(sql, workspace);
    // A damaged one does not hide the others.
    return soundOf(all, (found) => this.opened(workspace, found), this.parts.onError);
  }

  private async readQuestions(
    sql: Queryable,
    task: Identified,
    version: number,
  ): Promise<string | undefined> {
    const found = await findVersion(sql, task.id, version);
    return found && openQuestions(this.keys.open(task.id, found.key), task, version, found.sealed);
  }

  private async readHistory(sql: Queryable, task: Identified): Promise<TaskVersion[] | undefined> {
    const found = await findVersion(sql, task.id, HISTORY);
    return found && openHistory(this.keys.open(task.id, found.key), task, found.sealed);
  }

  private opened(workspace: string, found: FoundTask): Task {
    return openTask(this.keys.open(found.id, found.key), { workspace, name: found.name }, found);
  }

  /** Makes a change, after which this node reads the task again. */
  private async change<Result>(
    place: TaskPlace,
    work: () => Promise<Result>,
    doubt: keyof typeof DOUBTS = 'changed',
  ): Promise<Result> {
    try {
      return await this.orUnknown(doubt, work);
    } finally {
      this.copies.forget(place);
    }
  }

  private orUnknown<Result>(doubt: keyof typeof DOUBTS, work: () => Promise<Result>): Promise<Result> {
    return orOutcomeUnknown((error) => this.parts.onError(error), DOUBTS[doubt], work);
  }

  private orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
    return orCannotRead({ error: (error) => this.parts.onError(error) }, work);
  }
}
