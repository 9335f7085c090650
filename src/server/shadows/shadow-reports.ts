import type { Caller } from '../../access/index.js';
import { FairQueue, type Shares, ThreadPool } from '../../base/index.js';
import { mergedShadow, NO_SHADOW_ANSWERS, type ShadowCounts } from '../../statistics/index.js';
import {
  type CompareWork,
  calibrationsOf,
  comparesSame,
  FIT_THREAD,
  type ShadowRecord,
  shadowJson,
  type Task,
  type TaskStore,
} from '../../tasks/index.js';
import type { Engines } from '../engines.js';
import { inTurn } from '../queue-full.js';

/** Reports that open labels at the same time: up to 20,000, which takes half a second of a processor. */
export const SHADOW_REPORTS_AT_ONCE: Shares = { key: 1, workspace: 1, all: 1 };
/** Reports that may wait for that. */
export const SHADOW_REPORTS_WAITING_MAX: Shares = { key: 16, workspace: 32, all: 128 };

interface Parts {
  readonly tasks: Pick<TaskStore, 'counted' | 'labelled'>;
  readonly engines: Pick<Engines, 'catalog'>;
}

/** How the shadow builds of tasks compare with those that answer. */
export class ShadowReports {
  private readonly queue = new FairQueue(SHADOW_REPORTS_AT_ONCE, SHADOW_REPORTS_WAITING_MAX);
  private readonly thread = new ThreadPool({ file: FIT_THREAD, threads: 1, data: null });

  constructor(private readonly parts: Parts) {}

  /**
   * The shadow of a task as JSON; `null` without one.
   *
   * @param names the questions of the version in use, in their order
   * @throws ApiError `overloaded` if too many reports wait
   */
  async of(caller: Caller, task: Task, names: readonly string[]): Promise<string> {
    const { tasks, engines } = this.parts;
    if (task.shadow === null) return 'null';
    const [live, shadow] = [engines.catalog.find(task.model), engines.catalog.find(task.shadow.model)];
    const builds = { live: live?.id ?? null, shadow: shadow?.id ?? null };
    const counted = await tasks.counted(task);
    const isCurrent =
      counted !== undefined &&
      live !== undefined &&
      shadow !== undefined &&
      comparesSame(counted, {
        version: task.version,
        live: live.id,
        shadow: shadow.id,
        calibrations: calibrationsOf(live, shadow),
      });
    const record = isCurrent ? counted : null;
    const labelled = record === null ? [] : await this.ofLabels(caller, task, record, names);
    const questions = names.map((_, at) =>
      mergedShadow(record?.questions[at] ?? NO_SHADOW_ANSWERS, labelled[at] ?? NO_SHADOW_ANSWERS),
    );
    return shadowJson(task.shadow, builds, record?.since ?? null, names, questions);
  }

  close(): Promise<void> {
    return this.thread.close();
  }

  /** Per question, how many labelled answers of each build are right. */
  private async ofLabels(
    { key, workspace }: Caller,
    task: Task,
    { live, shadow, since }: ShadowRecord,
    questions: readonly string[],
  ): Promise<readonly ShadowCounts[]> {
    const owner = { key: key.id, workspace: workspace.id };
    const compare = async () => {
      const labelled = await this.parts.tasks.labelled(task, live);
      if (labelled === undefined || labelled.rows.length === 0) return [];
      const counted = { shadow, since };
      const work: CompareWork = { task: task.id, ...labelled, questions, counted };
      return this.thread.run<readonly ShadowCounts[]>('compare', work);
    };
    return inTurn(this.queue, owner, 'reports about shadow builds', compare);
  }
}
