import type { Caller } from '../access/index.js';
import { ApiError } from '../api/index.js';
import { type Clock, endAll, FairQueue, type Shares } from '../base/index.js';
import type { BatchTasks } from '../batch/index.js';
import {
  type Decision,
  mayUse,
  type Question,
  readStoredQuestions,
  type SentRequest,
} from '../decide/index.js';
import type { CatalogBuild } from '../engine/index.js';
import type { TaskApp } from '../http/index.js';
import type { Storage } from '../storage/index.js';
import {
  answerOf,
  type Compared,
  calibrationsOf,
  driftJson,
  fitOf,
  isTaskName,
  type NewLabel,
  outdatedFitOf,
  outdatedWarnings,
  promoteTask,
  putTask,
  requireTaskName,
  type Task,
  type TaskFit,
  type TaskPlace,
  type TaskShadow,
  taskEntry,
  taskJson,
  taskNotFound,
  warningsOf,
} from '../tasks/index.js';
import type { Log, Metrics } from '../telemetry/index.js';
import { ServedBatchTasks } from './batch-tasks.js';
import type { Engines } from './engines.js';
import { inTurn } from './queue-full.js';
import { ShadowPairs } from './shadows/shadow-pairs.js';
import { ShadowReports } from './shadows/shadow-reports.js';
import { ShadowRuns } from './shadows/shadow-runs.js';
import { TaskAlarms } from './task-alarms.js';
import { TaskAsking } from './task-asking.js';
import { TaskFits } from './task-fits.js';
import { TaskLabels } from './task-labels.js';
import { TaskMonitors } from './task-monitors.js';

/** Changes made at the same time. Those of a workspace wait for each other, and would hold connections to a database. */
export const TASK_CHANGES_MAX: Shares = { key: 1, workspace: 1, all: 2 };
/** Changes that may wait. */
export const TASK_CHANGES_WAITING_MAX: Shares = { key: 128, workspace: 256, all: 1_024 };

/** What tasks need from the service, for one caller. */
interface CallerParts {
  /** Throws until the models are loaded. */
  requireLoaded(): void;
  /** Answers a request as `/v1/decide` does, for its price. */
  decide(request: SentRequest, signal: AbortSignal): Promise<Decision>;
}

/** The tasks of callers. */
export class TaskService {
  private readonly changes = new FairQueue(TASK_CHANGES_MAX, TASK_CHANGES_WAITING_MAX);
  private readonly asking: TaskAsking;
  /** The tasks as batches use them. */
  readonly ofBatches: BatchTasks;
  private readonly labels: TaskLabels;
  private readonly fits: TaskFits;
  private readonly pairs: ShadowPairs;
  private readonly reports: ShadowReports;
  private readonly shadows: ShadowRuns;
  private readonly alarms: TaskAlarms;
  private readonly monitors: TaskMonitors;

  constructor(
    private readonly engines: Engines,
    private readonly storage: Pick<Storage, 'tasks' | 'access' | 'clock'>,
    metrics: Metrics,
    log: Pick<Log, 'error' | 'warn' | 'info'>,
    clock: Clock,
    random: () => number,
  ) {
    const { access } = storage;
    const buildOf = (model: string | null) => engines.catalog.find(model);
    this.alarms = new TaskAlarms({ storage, metrics, log, clock, buildOf });
    this.monitors = new TaskMonitors({ storage, alarms: this.alarms, clock, log });
    this.asking = new TaskAsking(storage.tasks, metrics, log, this.monitors);
    this.ofBatches = new ServedBatchTasks(storage, this.asking);
    this.labels = new TaskLabels({
      engines,
      access,
      clock,
      log,
      metrics,
      answersSeenMs: storage.tasks.answersSeenMs,
    });
    this.fits = new TaskFits(storage);
    const { tasks } = storage;
    this.pairs = new ShadowPairs({ tasks, clock, log, metrics });
    this.reports = new ShadowReports({ tasks, engines });
    const compare = this.pairs.add.bind(this.pairs);
    this.shadows = new ShadowRuns({ engines, clock, log, metrics, random, compare });
  }

  /** The tasks for one caller: those of its workspace. */
  appOf(caller: Caller, { requireLoaded, decide }: CallerParts): TaskApp {
    const workspace = caller.workspace.id;
    return {
      put: async (name, body, signal) => {
        requireTaskName(name);
        requireLoaded();
        return this.put(caller, name, body, signal);
      },
      list: async () => ({ object: 'list', data: await this.entries(workspace) }),
      show: async (name) => this.shown(caller, await this.existingNow({ workspace, name })),
      remove: async (name) => {
        const place = { workspace, name };
        // One that cannot be read can be deleted: its questions are not in memory.
        const task = await this.existing(place).catch(() => null);
        const remove = () => this.storage.tasks.remove(place);
        if (!isTaskName(name) || !(await this.change(caller, remove))) throw taskNotFound();
        if (task !== null) this.asking.forget(task);
        return { object: 'task', name, deleted: true };
      },
      decide: async (name, sent, model, requestId, signal) => {
        const task = await this.existing({ workspace, name });
        const asked = await this.asking.ofTask(task);
        const request = { ...sent, model: model() };
        const shadowed = { caller, task, asked, request, reference: requestId };
        const decision = await this.shadows.beside(shadowed, () =>
          decide({ ...request, task: asked }, signal),
        );
        this.asking.keep(task, answerOf(asked, requestId, decision));
        return decision;
      },
      promote: async (name, body, signal) => {
        requireLoaded();
        return this.promote(caller, name, body, signal);
      },
      fit: async (name, signal) => {
        requireLoaded();
        const task = await this.existing({ workspace, name });
        const questions = readStoredQuestions(await this.asking.questions(task, task.version));
        const names = questions.map((question) => question.name);
        const build = this.buildOf(task);
        const fit = await this.fits.fit(caller, task, build, names, signal);
        await this.alarms.look(task, build.id);
        return fit;
      },
      label: async (name, body, signal) => {
        requireLoaded();
        const task = await this.existing({ workspace, name });
        const asked = await this.asking.ofTask(task);
        const store = (labels: readonly NewLabel[]) =>
          this.change(caller, () => this.storage.tasks.label(task, labels));
        const taken = await this.labels.take(caller, asked, body, store, signal);
        const build = this.engines.catalog.find(task.model)?.id;
        if (build !== undefined) await this.alarms.look(task, build);
        return { object: 'labels', task: { name, version: task.version }, ...taken };
      },
    };
  }

  /** Drops what runs on shadow builds: other models are current now. */
  modelsChanged(): void {
    this.shadows.drop();
  }

  /** From now on nothing runs on shadow builds. */
  beginStop(): void {
    this.shadows.stop();
  }

  /** Stores what was counted and noted, and ends the threads. */
  async close(): Promise<void> {
    this.shadows.stop();
    this.alarms.stop();
    await endAll([
      () => this.pairs.flush(),
      () => this.monitors.stop(),
      () => this.fits.close(),
      () => this.reports.close(),
    ]);
  }

  private async put(
    caller: Caller,
    name: string,
    { body, encoding }: Parameters<TaskApp['put']>[1],
    signal: AbortSignal,
  ): Promise<string> {
    const workspace = caller.workspace.id;
    const set = this.engines.current;
    const sent = { body, encoding, allowedModels: caller.workspace.models };
    const read = await set.use(() => set.readTask(sent, { workspace, key: caller.key.id }, signal));
    if (!read.ok) throw new ApiError(read.type, read.message);
    const { content, refused } = read;
    const place = { workspace, name };
    const task = await this.change(caller, () =>
      this.storage.tasks.put(place, content, (before, id, now) => {
        if (refused !== null && before.task?.shadow?.model !== content.shadow?.model)
          throw new ApiError(refused.type, refused.message);
        return putTask(before, { ...place, id }, content, now);
      }),
    );
    return this.json(caller, task, content.questions);
  }

  private async promote(
    caller: Caller,
    name: string,
    { body, encoding }: Parameters<TaskApp['promote']>[1],
    signal: AbortSignal,
  ): Promise<string> {
    const workspace = caller.workspace.id;
    const { id: key } = caller.key;
    const set = this.engines.current;
    const read = await set.use(() => set.readPromotion({ body, encoding }, { workspace, key }, signal));
    if (!read.ok) throw new ApiError(read.type, read.message);
    await this.existing({ workspace, name });
    const isRepeatable = read.expected.version !== null;
    const task = await this.change(caller, () =>
      this.storage.tasks.promote(
        { workspace, name },
        `key:${key}`,
        (before, now) => {
          const builds = (shadow: TaskShadow) => this.buildsOf(caller, before.task, shadow);
          return promoteTask(before, builds, read.expected, key, now);
        },
        isRepeatable,
      ),
    );
    try {
      return await this.shown(caller, task);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status < 500 || isRepeatable) throw error;
      throw new ApiError(
        'outcome_unknown',
        `The shadow build was promoted: version ${task.version} is in use. The task cannot be read at the moment; look at it later.`,
        { retryAfterSeconds: 1, final: true },
      );
    }
  }

  /** Makes a change in the turn of the caller. Rejects with ApiError `overloaded` if too many wait. */
  private change<Result>({ key, workspace }: Caller, make: () => Promise<Result>): Promise<Result> {
    return inTurn(this.changes, { key: key.id, workspace: workspace.id }, 'changes of tasks', make);
  }

  private async entries(workspace: string): Promise<unknown[]> {
    const { tasks } = this.storage;
    const [all, counts] = [await tasks.list(workspace), await tasks.counts(workspace)];
    return all.flatMap((task) => {
      const kept = counts.get(task.id);
      // It was deleted meanwhile.
      return kept === undefined ? [] : [taskEntry(task, kept, this.currentFit(task))];
    });
  }

  private async shown(caller: Caller, task: Task): Promise<string> {
    return this.json(caller, task, await this.asking.questions(task, task.version));
  }

  private async json(caller: Caller, task: Task, questions: string): Promise<string> {
    const { tasks } = this.storage;
    const versions = await tasks.versions(task);
    if (versions === undefined) throw taskNotFound();
    const asked = readStoredQuestions(questions);
    const names = asked.map((question) => question.name);
    // Another call may have made a further version meanwhile.
    return taskJson(task, {
      versions: versions.slice(0, task.version),
      questions,
      answers: await tasks.answers(task),
      labels: await tasks.labels(task),
      ...(await this.fitted(task, asked)),
      shadow: await this.reports.of(caller, task, names),
    });
  }

  /** What is known of the fit in force for the build that answers now. */
  private async fitted(task: Task, questions: readonly Question[]) {
    const { tasks } = this.storage;
    const fit = this.currentFit(task);
    if (fit === undefined)
      return {
        fit: null,
        drift: null,
        warnings: outdatedWarnings(this.currentFit(task, outdatedFitOf), questions),
      };
    const report = (await tasks.fitReport(task, fit.build)) ?? null;
    const monitor = await tasks.monitor(task, fit.build);
    if (monitor !== undefined) await this.alarms.observe(task, fit.build, monitor);
    const reports = monitor?.reportOf(fit) ?? null;
    if (reports === null) return { fit: report, drift: null, warnings: [] };
    return { fit: report, drift: driftJson(reports, questions), warnings: warningsOf(reports, questions) };
  }

  /** The fit in force for the build that answers now, or what else `find` returns for it; undefined: there is none. */
  private currentFit(task: Task, find = fitOf): TaskFit | undefined {
    const build = this.engines.catalog.find(task.model);
    return build && find(task, { build: build.id, calibration: build.calibration });
  }

  /** The build that answers the version in use now. Throws ApiError `model_not_found`. */
  private buildOf({ model }: Task): CatalogBuild {
    const build = this.engines.catalog.find(model);
    if (build !== undefined) return build;
    throw new ApiError('model_not_found', 'This server does not serve the model of the task any more.');
  }

  /** The builds that the model and the shadow of a task stand for. Throws ApiError if the caller cannot use them. */
  private buildsOf({ workspace }: Caller, task: Task, shadow: TaskShadow): Omit<Compared, 'version'> {
    const live = this.buildOf(task);
    const build = this.engines.catalog.find(shadow.model);
    if (build === undefined)
      throw new ApiError(
        'model_not_found',
        'This server does not serve the shadow build of the task any more.',
      );
    if (!mayUse(build, workspace.models))
      throw new ApiError('model_not_allowed', 'The workspace may not use the shadow build of the task.');
    return { live: live.id, shadow: build.id, calibrations: calibrationsOf(live, build) };
  }

  /** Rejects with ApiError `task_not_found`. */
  private async existing(place: TaskPlace): Promise<Task> {
    return found(isTaskName(place.name) ? await this.storage.tasks.find(place) : undefined);
  }

  /** The task as it is stored, for what is read with it: the monitor of a later fit says nothing about the fit of a copy. */
  private async existingNow(place: TaskPlace): Promise<Task> {
    return found(isTaskName(place.name) ? await this.storage.tasks.findNow(place) : undefined);
  }
}

/** Throws ApiError `task_not_found`. */
function found(task: Task | undefined): Task {
  if (task === undefined) throw taskNotFound();
  return task;
}
