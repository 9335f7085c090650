import type { Caller } from '../access/index.js';
import { ApiError } from '../api/index.js';
import { FairQueue, type Shares, showInstant, ThreadPool } from '../base/index.js';
import type { CatalogBuild } from '../engine/index.js';
import type { Storage } from '../storage/index.js';
import {
  FIT_THREAD,
  type FittedQuestions,
  type FittedTask,
  type FitWork,
  fitJson,
  type Task,
  type TaskFit,
  TaskMonitor,
  taskChanged,
  taskNotFound,
} from '../tasks/index.js';
import { inTurn } from './queue-full.js';

/** Fits that are made at the same time: each has the processor for up to seconds. */
export const FITS_AT_ONCE: Shares = { key: 1, workspace: 1, all: 1 };
/** Fits that may wait. */
export const FITS_WAITING_MAX: Shares = { key: 4, workspace: 8, all: 64 };

type FittedBuild = Pick<CatalogBuild, 'id' | 'calibration'>;

/** Fits tasks to their labels, on a thread that starts with the first fit. */
export class TaskFits {
  private readonly queue = new FairQueue(FITS_AT_ONCE, FITS_WAITING_MAX);
  private readonly thread = new ThreadPool({ file: FIT_THREAD, threads: 1, data: null });

  constructor(private readonly storage: Pick<Storage, 'tasks' | 'clock'>) {}

  /**
   * Fits the version in use to the labels of answers of a build, and puts the fit in force. Resolves with the fit as JSON.
   *
   * @param names the questions of the version, in their order
   * @throws ApiError `too_few_labels`, with how many each question has and needs; `overloaded`; `task_not_found`
   */
  async fit(
    { key, workspace }: Caller,
    task: Task,
    build: FittedBuild,
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<string> {
    const owner = { key: key.id, workspace: workspace.id };
    return inTurn(this.queue, owner, 'fits', () => this.fitNow(task, build, names), signal);
  }

  close(): Promise<void> {
    return this.thread.close();
  }

  private async fitNow(
    task: Task,
    { id: build, calibration }: FittedBuild,
    names: readonly string[],
  ): Promise<string> {
    const { tasks, clock } = this.storage;
    const labelled = await tasks.labelled(task, build);
    if (labelled === undefined) throw taskNotFound();
    const { targetError, confidence, version } = task;
    const target = { error: targetError, confidence };
    const work: FitWork = { task: task.id, ...labelled, questions: names, calibration, target };
    const { questions: fitted, references } = await this.thread.run<FittedTask>('fit', work);
    requireLabels(fitted, names);
    const at = clock.now();
    const fit: TaskFit = {
      version,
      build,
      calibration,
      at,
      targetError,
      confidence,
      acceptances: fitted.map((each) =>
        'refused' in each
          ? null
          : { temperature: each.temperature.value, threshold: each.threshold?.threshold ?? null },
      ),
    };
    const report = fitJson(task, fit, names, fitted, showInstant(at));
    const monitor = TaskMonitor.of(fit, names, references);
    if (await tasks.putFit(task, fit, report, monitor)) return report;
    throw taskChanged();
  }
}

function requireLabels(fitted: FittedQuestions, names: readonly string[]): void {
  const questions = fitted.flatMap((each, at) => ('refused' in each ? [[names[at], each] as const] : []));
  if (questions.length < fitted.length) return;
  const needed = Math.max(...questions.map(([, each]) => each.needed));
  throw new ApiError(
    'too_few_labels',
    `No question has ${needed} labels of the version in use and its build.`,
    {},
    {
      questions: new Map(
        questions.map(([name, { labels, needed: fewest }]) => [name, { labels, needed: fewest }]),
      ),
    },
  );
}
