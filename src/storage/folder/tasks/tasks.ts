import { type AuditEntry, auditEntry } from '../../../access/index.js';
import { ApiError, LIMITS } from '../../../api/index.js';
import { type Clock, nextTurn, randomLetters, StoreError, soundOf } from '../../../base/index.js';
import { randomDataKey } from '../../../sealing/index.js';
import {
  type AnswerSettled,
  HISTORY,
  hasSameShadow,
  type LabelledRows,
  type LabelOutcome,
  type LabelRow,
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
  type TaskCounts,
  type TaskFit,
  type TaskMonitor,
  type TaskPlace,
  type TaskRow,
  type TaskStore,
  type TaskVersion,
  taskNotFound,
  withFit,
} from '../../../tasks/index.js';
import type { FolderAccess } from '../ledger/folder-access.js';
import type { Store } from '../lmdb/store.js';
import type { RawWrite } from '../lmdb/writes.js';
import type { Sealer } from '../master-key/sealer.js';
import { FolderAnswers } from './answers.js';
import { FolderLabelCounts } from './label-counts.js';
import { FolderLabels } from './labels.js';
import { FolderMonitors } from './monitors.js';
import { FolderRetention } from './retention.js';
import { FolderShadows } from './shadows.js';
import { FolderTaskTimes } from './task-times.js';

type Identified = Pick<Task, 'id'>;

interface Parts {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly access: Pick<FolderAccess, 'join' | 'changed' | 'flush'>;
  readonly clock: Clock;
  /** The most labelled answers of a task; `LIMITS.taskLabels` if absent. */
  readonly labelsMax?: number;
  /** Called with the error of a write, or of a deletion. */
  onError(error: unknown): void;
}

/** The tasks of a data folder, which this process alone changes. */
export class FolderTasks implements TaskStore {
  /** The last change: the next one waits for it. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly kept: FolderAnswers;
  private readonly labelling: FolderLabels;
  private readonly labelCounts: FolderLabelCounts;
  private readonly monitors: FolderMonitors;
  private readonly shadows: FolderShadows;
  private bounds: TaskBounds | null = null;
  private retention: FolderRetention | null = null;
  private readonly times: FolderTaskTimes;

  constructor(private readonly parts: Parts) {
    this.kept = new FolderAnswers(parts);
    this.monitors = new FolderMonitors(parts.store);
    this.labelCounts = new FolderLabelCounts(parts.store);
    const { monitors, labelCounts: counts } = this;
    this.labelling = new FolderLabels({
      ...parts,
      monitors,
      counts,
      max: parts.labelsMax ?? LIMITS.taskLabels,
    });
    this.shadows = new FolderShadows({ ...parts, kept: this.kept });
    const afterOthers = <Result>(work: () => Promise<Result>) => this.afterOthers(work);
    this.times = new FolderTaskTimes({ ...parts, kept: this.kept, afterOthers });
  }

  start(bounds: TaskBounds): void {
    const { kept } = this;
    this.bounds = bounds;
    const onRemoved = (id: string, number: number) => kept.removedBefore(id, number);
    const afterOthers = (work: () => Promise<void>) => this.afterOthers(work);
    this.retention = new FolderRetention({ ...this.parts, bounds, onRemoved, afterOthers });
    this.retention.start();
  }

  /** Resolves when nothing is being deleted or changed. Answers are written with the ledger's last transaction. */
  async stop(): Promise<void> {
    await this.retention?.stop();
    await this.last;
  }

  record(task: Task, answer: TaskAnswer, settled: AnswerSettled = () => {}): void {
    settled(this.bounds !== null && this.kept.record(task, answer, this.bounds));
  }

  /** Call it when the calendar has jumped by `ms`. Resolves when stored times have moved with it. Rejects with StoreError. */
  moveTimes(ms: number): Promise<void> {
    return this.times.move(ms, this.retention);
  }

  label(task: Task, labels: readonly NewLabel[]): Promise<LabelOutcome> {
    // Read in the turn in which the call takes its place: see `moveTimes`.
    const now = this.parts.clock.now();
    return this.afterOthers(async () => {
      // An answer may be labelled at once.
      await this.flush();
      const current = this.read(task.workspace, task.name);
      requireUnchanged(current, task);
      const dataKey = this.parts.sealer.dataKey(task.id);
      if (dataKey === undefined) throw taskNotFound();
      const { outcome, writes } = await this.labelling.writesOf(dataKey, current, labels, now);
      if (!outcome.stored) return outcome;
      await this.write(writes);
      this.labelCounts.stored(current, outcome.labels);
      return outcome;
    });
  }

  async labelled(task: Task, build: string): Promise<LabelledRows | undefined> {
    const { store, sealer } = this.parts;
    const rows: LabelRow[] = [];
    for await (const { value } of store.table('task_labels').entriesInTurns(task.id)) {
      if (value.version === task.version && value.build === build) rows.push(value);
    }
    const dataKey = sealer.dataKey(task.id);
    return dataKey && { dataKey, rows };
  }

  putFit(task: Task, fit: TaskFit, report: string, monitor: TaskMonitor): Promise<boolean> {
    return this.afterOthers(async () => {
      const { store, sealer } = this.parts;
      const { id, workspace, name } = task;
      const current = this.read(workspace, name);
      const fitted = current?.id === id ? withFit(current, fit) : null;
      const dataKey = sealer.dataKey(id);
      if (fitted === null || dataKey === undefined) return false;
      await this.write([
        store.table('tasks').write([workspace, name], sealTask(dataKey, fitted)),
        store.table('task_fits').write([id, fit.build], sealFit(dataKey, task, fit.build, report)),
        this.monitors.write(dataKey, task, fit.build, monitor),
      ]);
      return true;
    });
  }

  async fitReport(task: Task, build: string): Promise<string | undefined> {
    const { store, sealer } = this.parts;
    const sealed = store.table('task_fits').get(task.id, build);
    const dataKey = sealer.dataKey(task.id);
    return sealed && dataKey && openFit(dataKey, task, build, sealed);
  }

  addPairs(task: Task, pairs: NewPairs): Promise<boolean> {
    return this.afterOthers(async () => {
      const { sealer } = this.parts;
      // What was answered must be written before it is changed.
      await this.flush();
      const dataKey = sealer.dataKey(task.id);
      if (dataKey === undefined || !hasSameShadow(this.read(task.workspace, task.name), task)) return false;
      for (const writes of this.shadows.writesOf(dataKey, task, pairs)) await this.write(writes);
      return true;
    });
  }

  async counted(task: Identified): Promise<ShadowRecord | undefined> {
    const dataKey = this.parts.sealer.dataKey(task.id);
    return dataKey && this.shadows.record(dataKey, task);
  }

  promote(
    place: TaskPlace,
    actor: string,
    decide: (before: StoredShadow, now: number) => Promotion,
  ): Promise<Task> {
    return this.afterOthers(async () => {
      const now = this.parts.clock.now();
      const before = await this.before(place);
      const { task: current, questions } = before;
      if (current === null || questions === null) throw taskNotFound();
      const counted = await this.counted(current);
      const { task, record } = decide({ ...before, task: current, questions, counted }, now);
      if (record === null) return task;
      const history = (await this.versions(task)) ?? [];
      const writes = this.writesOf(task, current, history, questions);
      await this.write(writes, auditEntry(now, actor, record));
      return task;
    });
  }

  async monitor(task: Task, build: string): Promise<TaskMonitor | undefined> {
    const dataKey = this.parts.sealer.dataKey(task.id);
    return dataKey && this.monitors.get(dataKey, task, build);
  }

  changeMonitor(
    task: Task,
    build: string,
    change: (monitor: TaskMonitor) => boolean,
  ): Promise<TaskMonitor | undefined> {
    return this.afterOthers(async () => {
      const dataKey = this.parts.sealer.dataKey(task.id);
      if (dataKey === undefined) return undefined;
      const monitor = this.monitors.get(dataKey, task, build);
      if (monitor === undefined || !change(monitor)) return monitor;
      await this.write([this.monitors.write(dataKey, task, build, monitor)]);
      return monitor;
    });
  }

  async labels(task: Task): Promise<number> {
    return (await this.labelCounts.of(task)).current;
  }

  async answers(task: Task): Promise<number> {
    return this.kept.count(task);
  }

  async find({ workspace, name }: TaskPlace): Promise<Task | undefined> {
    return this.read(workspace, name);
  }

  findNow(place: TaskPlace): Promise<Task | undefined> {
    return this.find(place);
  }

  async list(workspace: string): Promise<Task[]> {
    const names = [...this.parts.store.table('tasks').keys(workspace)].map(([, name]) => name as string);
    // A damaged one does not hide the others.
    return soundOf(names, (name) => this.readSound(workspace, name), this.parts.onError);
  }

  async counts(workspace: string): Promise<ReadonlyMap<string, TaskCounts>> {
    const counts = new Map<string, TaskCounts>();
    for (const row of this.rows(workspace).values()) {
      const { current: labels } = await this.labelCounts.of(row);
      counts.set(row.id, { answers: this.kept.count(row), labels });
      // LMDB looks at every label.
      await nextTurn();
    }
    return counts;
  }

  async questions(task: Identified, version: number): Promise<string | undefined> {
    return this.opened(task, version, (key, sealed) => openQuestions(key, task, version, sealed));
  }

  async versions(task: Identified): Promise<TaskVersion[] | undefined> {
    return this.opened(task, HISTORY, (key, sealed) => openHistory(key, task, sealed));
  }

  put(
    place: TaskPlace,
    content: TaskContent,
    decide: (before: StoredBefore, id: string, now: number) => Task,
  ): Promise<Task> {
    return this.afterOthers(async () => {
      const { sealer, clock } = this.parts;
      // From here to the commit in one turn of the event loop, so that the data key is encrypted with the right master key.
      while (sealer.changing !== null) await sealer.changing;
      const before = await this.before(place);
      const task = decide(before, `task_${randomLetters(24)}`, clock.now());
      if (task !== before.task) {
        const versions = (await this.versions(task)) ?? [];
        await this.write(this.writesOf(task, before.task, versions, content.questions));
      }
      return task;
    });
  }

  remove({ workspace, name }: TaskPlace): Promise<boolean> {
    return this.afterOthers(async () => {
      const { store } = this.parts;
      // The row is enough: a task that cannot be opened can be deleted.
      const task = store.table('tasks').get(workspace, name);
      if (task === undefined) return false;
      await this.write([
        store.table('data_keys').write([task.id], null),
        store.table('tasks').write([workspace, name], null),
        ...(['task_fits', 'task_monitors'] as const).flatMap((table) =>
          [...store.table(table).keys(task.id)].map((key) => store.table(table).write(key, null)),
        ),
        store.table('task_shadows').write([task.id], null),
        store.table('task_versions').removal([task.id, HISTORY], [task.id, task.version + 1]),
      ]);
      this.kept.forget(task.id);
      this.labelCounts.forget(task.id);
      // Without the retention, the next start removes them.
      this.retention?.remove(task);
      return true;
    });
  }

  private writesOf(
    task: Task,
    before: Task | null,
    versions: readonly TaskVersion[],
    questions: string,
  ): RawWrite[] {
    const { store, sealer } = this.parts;
    const { id, workspace, name } = task;
    const dataKey = before === null ? randomDataKey() : sealer.dataKey(id);
    if (dataKey === undefined) throw new Error('a task has no data key');
    const put = sealPut(dataKey, task, before, versions, questions);
    return [
      store.table('tasks').write([workspace, name], put.row),
      ...(before === null ? [sealer.keyWrite(id, dataKey)] : []),
      ...put.versions.map(([version, sealed]) => store.table('task_versions').write([id, version], sealed)),
      ...(task.shadow === null ? [store.table('task_shadows').write([id], null)] : []),
    ];
  }

  private async before({ workspace, name }: TaskPlace): Promise<StoredBefore> {
    const task = this.read(workspace, name) ?? null;
    const questions = task === null ? null : ((await this.questions(task, task.version)) ?? null);
    let [count, bytes] = [0, 0];
    for (const [other, row] of this.rows(workspace)) {
      if (other === name) continue;
      count += 1;
      bytes += row.bytes;
    }
    return { task, questions, others: { count, bytes } };
  }

  private read(workspace: string, name: string): Task | undefined {
    const { store, sealer } = this.parts;
    const row = store.table('tasks').get(workspace, name);
    const dataKey = row && sealer.dataKey(row.id);
    return dataKey && openTask(dataKey, { workspace, name }, row);
  }

  /** A task that has a row. Throws StoreError if its data key is missing too. */
  private readSound(workspace: string, name: string): Task {
    const task = this.read(workspace, name);
    if (task === undefined) throw new StoreError(`The data key of the task ${workspace}/${name} is missing.`);
    return task;
  }

  /** The rows of the tasks of a workspace, by name, without those that are damaged. */
  private rows(workspace: string): ReadonlyMap<string, TaskRow> {
    const entries = this.parts.store.table('tasks').checkedPart([workspace], LIMITS.tasks);
    return new Map(entries.flatMap(({ key, value }) => (value === null ? [] : [[key[1] as string, value]])));
  }

  private opened<Value>(
    { id }: Identified,
    version: number,
    open: (dataKey: Buffer, sealed: Buffer) => Value,
  ): Value | undefined {
    const { store, sealer } = this.parts;
    const sealed = store.table('task_versions').get(id, version);
    const dataKey = sealer.dataKey(id);
    return sealed && dataKey && open(dataKey, sealed);
  }

  private afterOthers<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.last.then(work);
    this.last = result.catch(() => {});
    return result;
  }

  private async write(writes: readonly RawWrite[], entry: AuditEntry | null = null): Promise<void> {
    try {
      await this.parts.store.write(writes, entry === null ? [] : [entry]);
    } catch (error) {
      this.parts.onError(error);
      throw cannotWrite();
    }
  }

  /** Resolves when the answers so far are on the disk. */
  private async flush(): Promise<void> {
    try {
      await this.parts.access.flush();
    } catch (error) {
      // The ledger reports it.
      throw error instanceof StoreError ? cannotWrite() : error;
    }
  }
}

const cannotWrite = () =>
  new ApiError('overloaded', 'The server cannot write to its data folder.', { retryAfterSeconds: 30 });
