import { ApiError } from '../api/index.js';
import type { Clock } from '../base/index.js';
import type { CatalogBuild } from '../engine/index.js';
import type { Storage } from '../storage/index.js';
import { fitOf, type Task, type TaskMonitor } from '../tasks/index.js';
import type { Log, Metrics } from '../telemetry/index.js';

/** Raised alarms are looked at again at this interval, in milliseconds: they end with their fit. */
export const ALARMS_EVERY_MS = 60_000;

/** The alarms, and what the log says of them. */
const ALARMS = {
  drift: ['answers to a task have drifted', 'the drift alarm of a task has ended'],
  error: ['the error of a task is above its target', 'the error alarm of a task has ended'],
} as const;
type Alarm = keyof typeof ALARMS;
const ALARM_NAMES = Object.keys(ALARMS) as Alarm[];

type Raised = Readonly<Record<Alarm, boolean>>;
const NONE: Raised = { drift: false, error: false };

type Named = Pick<Task, 'id' | 'workspace' | 'name'>;

interface Entry {
  readonly task: Named;
  readonly build: string;
  readonly raised: Raised;
}

interface Parts {
  readonly storage: Pick<Storage, 'tasks'>;
  readonly metrics: Metrics;
  readonly log: Pick<Log, 'warn' | 'info' | 'error'>;
  readonly clock: Clock;
  /** The build that answers a model now; undefined: none. */
  buildOf(model: string | null): Pick<CatalogBuild, 'id' | 'calibration'> | undefined;
}

/**
 * The alarms of the tasks that this process has seen, for the metrics and the log. An alarm is stored with its monitor; it
 * ends with the fit, and when another build answers the task.
 */
export class TaskAlarms {
  /** By task and build: those with a raised alarm. */
  private readonly entries = new Map<string, Entry>();
  private cancel: (() => void) | null = null;
  private isStopped = false;

  constructor(private readonly parts: Parts) {
    this.measure();
  }

  /**
   * Takes note of a monitor. Whether it is that of a fit in force is looked up if its alarms are not those that are known:
   * the task may have changed since the answers of the monitor were given. Never rejects.
   */
  async observe(task: Named, build: string, monitor: TaskMonitor): Promise<void> {
    const [raised, known] = [monitor.alarms(), this.entries.get(keyOf(task, build))?.raised ?? NONE];
    if (ALARM_NAMES.some((name) => raised[name] !== known[name])) await this.look(task, build);
  }

  /** Reads what is stored of a task and a build, and takes note of it. Never rejects. */
  async look({ id, workspace, name }: Named, build: string): Promise<void> {
    const task = { id, workspace, name };
    try {
      this.set({ task, build, raised: await this.raisedNow(task, build) });
    } catch (error) {
      // An unreachable storage is reported elsewhere.
      if (!(error instanceof ApiError))
        this.parts.log.error({ err: error, task: id }, 'the alarms of a task cannot be read');
    }
  }

  stop(): void {
    this.isStopped = true;
    this.cancel?.();
  }

  /** The alarms of the fit in force for a build; none if there is no such fit, or another build answers the task now. */
  private async raisedNow({ id, workspace, name }: Named, build: string): Promise<Raised> {
    const { tasks } = this.parts.storage;
    const task = await tasks.find({ workspace, name });
    if (task?.id !== id) return NONE;
    const current = this.parts.buildOf(task.model);
    if (current?.id !== build) return NONE;
    const fit = fitOf(task, { build, calibration: current.calibration });
    const monitor = fit && (await tasks.monitor(task, build));
    return fit !== undefined && monitor?.isOf(fit) === true ? monitor.alarms() : NONE;
  }

  private set(entry: Entry): void {
    const { task, build, raised } = entry;
    const key = keyOf(task, build);
    const before = this.entries.get(key)?.raised ?? NONE;
    if (ALARM_NAMES.some((name) => raised[name])) this.entries.set(key, entry);
    else this.entries.delete(key);
    for (const name of ALARM_NAMES) this.report(entry, name, before[name]);
    this.measure();
    this.lookLater();
  }

  private lookLater(): void {
    if (this.entries.size === 0 || this.isStopped) return;
    this.cancel ??= this.parts.clock.after(ALARMS_EVERY_MS, () => {
      void this.lookAtAll();
    });
  }

  private report({ task, build, raised }: Entry, name: Alarm, before: boolean): void {
    const [begins, ends] = ALARMS[name];
    const fields = { task: task.id, workspace: task.workspace, model: build };
    if (raised[name] && !before) this.parts.log.warn(fields, begins);
    if (!raised[name] && before) this.parts.log.info(fields, ends);
  }

  private measure(): void {
    const entries = [...this.entries.values()];
    for (const alarm of ALARM_NAMES) {
      const count = entries.filter(({ raised }) => raised[alarm]).length;
      this.parts.metrics.instruments.taskAlarms.set({ alarm }, count);
    }
  }

  /** Another process may have fitted, changed or deleted the tasks. */
  private async lookAtAll(): Promise<void> {
    for (const { task, build } of [...this.entries.values()]) await this.look(task, build);
    this.cancel = null;
    this.lookLater();
  }
}

const keyOf = ({ id }: Named, build: string): string => `${id}/${build}`;
