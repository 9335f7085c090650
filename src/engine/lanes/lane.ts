import { type Clock, ThreadStartError } from '../../base/index.js';
import type { EngineThread } from '../engine-thread.js';
import type { ContextState } from '../scheduler/context-state.js';
import type { Entry } from '../scheduler/scheduler-types.js';
import type { WaveResult, WaveTask } from '../wave/task.js';
import { isWorking, type LaneEvent, type LaneState, nextState } from './lane-transitions.js';
import { afterRunning, START_MS_MAX } from './wave-limit.js';

/**
 * After this many failed waves in a row the lane rests. One plan fails at most twice, so it is not enough; a wave of one plan
 * that leads to NaN does not count, so that no caller can make a lane rest for all others.
 */
export const FAILURES_MAX = 4;
/** The first pause; each one in a row is twice as long as the one before. */
export const PAUSE_MS = 1_000;
export const PAUSE_MS_MAX = 60_000;

/** What a lane needs of a thread. */
export type WaveRunner = Pick<EngineThread, 'run' | 'ready' | 'number'>;

/** What `/status` shows of a lane. */
export interface LaneStatus {
  /** See `WaveRecord`. */
  readonly number: number;
  readonly state: LaneState;
  /** Tokens of the wave in progress, 0 if there is none, and most tokens of a wave. */
  readonly wave: { readonly tokens: number; readonly max: number };
  /** Cells of the KV cache. */
  readonly cells: { readonly used: number; readonly max: number };
  /** Plans in progress. */
  readonly plans: number;
}

/** A wave, or the start of a thread, exceeded its time limit. */
class TimeLimitError extends Error {}

/** A thread with its context, and whether it works (see `LaneState`). */
export class Lane<E extends Entry> {
  private current: LaneState = 'free';
  /** Failed waves and starts since the last wave that was computed. */
  private failures = 0;
  private pauses = 0;
  /** On the monotonic clock. */
  private pauseEnds = 0;
  private cancelPause = () => {};

  /** @param onChange called after every change of the state but those between `free` and `busy` */
  constructor(
    private readonly thread: WaveRunner,
    readonly context: ContextState<E>,
    private readonly clock: Clock,
    private readonly onChange: (state: LaneState, reason: unknown) => void,
  ) {}

  get state(): LaneState {
    return this.current;
  }

  /** What the lane does now. */
  get status(): LaneStatus {
    const { context, current: state, number } = this;
    const { bounds, cache, computing } = context;
    return {
      number,
      state,
      wave: { tokens: computing, max: bounds.waveTokens },
      cells: { used: cache.cells, max: bounds.cells },
      plans: cache.running.length,
    };
  }

  get isFree(): boolean {
    return this.current === 'free';
  }

  get isBusy(): boolean {
    return this.current === 'busy';
  }

  get isStuck(): boolean {
    return this.current === 'stuck';
  }

  /** The number of the thread (see `WaveRecord`). */
  get number(): number {
    return this.thread.number;
  }

  get isWorking(): boolean {
    return isWorking(this.current);
  }

  /** Milliseconds until a lane that does not work is tried again. */
  get pauseLeft(): number {
    return Math.max(0, this.pauseEnds - this.clock.monotonic());
  }

  /**
   * Runs a wave on a free lane, as `EngineThread.run` does. Call `done` or `failed` when it has settled and what it
   * means for the context is known: both may free the lane. Rejects with TimeLimitError after `limitMs`; the lane is then
   * stuck.
   */
  send(task: WaveTask, limitMs: number): Promise<WaveResult> {
    this.change('sent', null);
    return this.inTime(this.thread.run(task), limitMs, 'a wave');
  }

  done(): void {
    this.failures = 0;
    this.pauses = 0;
    this.change('wave_done', null);
  }

  /** @param isOfPlan the plan of the wave is the cause, as far as is known, and not the device: it does not count */
  failed(error: unknown, isOfPlan = false): void {
    if (!isOfPlan) this.failures += 1;
    if (this.current !== 'busy' || error instanceof ThreadStartError) this.change('not_started', error);
    else this.change(isOfPlan || this.failures < FAILURES_MAX ? 'wave_failed' : 'wave_failed_again', error);
  }

  /** The lane takes no more waves. */
  close(): void {
    this.cancelPause();
    this.change('closed', null);
  }

  private change(event: LaneEvent, reason: unknown): void {
    const before = this.current;
    this.current = nextState(before, event);
    if (this.current === before) return;
    if (this.current === 'resting') this.pause();
    else if (this.current === 'restarting' || this.current === 'probing') void this.start();
    if (event !== 'sent' && event !== 'wave_done') this.onChange(this.current, reason);
  }

  private async start(): Promise<void> {
    const failure = await this.inTime(this.thread.ready(), START_MS_MAX, 'the start of a thread').then(
      () => null,
      (error: Error) => error,
    );
    if (failure === null) this.change('started', null);
    else this.failed(failure);
  }

  private inTime<Result>(work: Promise<Result>, limitMs: number, what: string): Promise<Result> {
    return new Promise((resolve, reject) => {
      const cancel = afterRunning(this.clock, limitMs, () => {
        const error = new TimeLimitError(`${what} has not ended within ${Math.round(limitMs / 1_000)} s`);
        this.change('timed_out', error);
        reject(error);
      });
      work.then(resolve, reject).finally(cancel);
    });
  }

  private pause(): void {
    const ms = Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** this.pauses);
    this.pauses += 1;
    this.pauseEnds = this.clock.monotonic() + ms;
    this.cancelPause = this.clock.after(ms, () => this.change('rested', null));
  }
}
