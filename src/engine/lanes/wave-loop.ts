import { ApiError } from '../../api/index.js';
import { type Clock, ThreadStartError } from '../../base/index.js';
import { DrainRate } from '../drain-rate.js';
import type { EngineEvents } from '../engine-events.js';
import type { Pending } from '../pending.js';
import type { WaveRecord } from '../record/wave-record.js';
import type { ContextState } from '../scheduler/context-state.js';
import { giveWaves } from '../scheduler/routing.js';
import type { Scheduler } from '../scheduler/scheduler.js';
import type { Running } from '../scheduler/scheduler-types.js';
import { settle } from '../scheduler/step.js';
import type { Wave } from '../scheduler/wave-builder.js';
import { isNotNumbers } from '../wave/usable-numbers.js';
import { Lane, type LaneStatus, type WaveRunner } from './lane.js';
import { NotComputed } from './not-computed.js';
import { waveLimitMs } from './wave-limit.js';

/** Attempts of a plan whose waves fail: one with others, one alone. */
const ATTEMPTS_MAX = 2;
/**
 * A plan that is partly computed counts as the cause once so many waves of others were not numbers: with CUDA, its cells spoil
 * them, and no logits of its own show it. A plan with unusable logits fails ATTEMPTS_MAX waves, so one beside it is not enough.
 */
const SPOILED_MAX = 8;
/** Seconds until a process that ends has been restarted. */
const RESTART_SECONDS = 5;

interface Parts {
  readonly scheduler: Scheduler<Pending>;
  readonly clock: Clock;
  readonly events: EngineEvents;
  /** Records which labelled plans are being computed. */
  readonly record: Pick<WaveRecord, 'begin' | 'abandon'> | undefined;
  newContext(): ContextState<Pending>;
}

type EngineLane = Lane<Pending>;

/**
 * Gives waves to free lanes, and their results to the plans.
 *
 * If a wave fails or its thread dies, each of its plans runs once more, from the beginning and in waves of its own, so
 * that a plan that makes waves fail takes no other with it. If a wave does not end, its plans fail. While no lane works
 * (see `LaneState`), no plan waits: a lane may never work again.
 */
export class WaveLoop {
  readonly drain: DrainRate;
  private readonly lanes: readonly EngineLane[];

  constructor(
    threads: readonly WaveRunner[],
    private readonly parts: Parts,
  ) {
    const { clock, events } = parts;
    this.lanes = threads.map(
      (thread) =>
        new Lane<Pending>(thread, parts.newContext(), clock, (state, reason) => {
          events.laneChanged(thread.number, state, reason);
          this.dispatch();
        }),
    );
    this.drain = new DrainRate(clock);
  }

  /** In the order of their numbers. */
  get statuses(): LaneStatus[] {
    return this.lanes.map(({ status }) => status);
  }

  get laneCount(): number {
    return this.lanes.length;
  }

  /** The lanes that work: those that compute waves, now or soon. */
  get workingLanes(): number {
    return this.lanes.filter(({ isWorking }) => isWorking).length;
  }

  /** Throws ApiError `model_unavailable` while no lane works. */
  checkWorking(): void {
    if (this.workingLanes === 0) throw this.refusal();
  }

  /** Starts waves on the free lanes. */
  dispatch(): void {
    giveWaves(this.lanes, (lane) => {
      const wave = lane.isFree ? this.fill(lane) : null;
      if (wave !== null) void this.send(lane, wave);
      return wave !== null;
    });
    if (this.workingLanes === 0) this.refuseWaiting();
  }

  /** Gives no more waves to any lane. */
  close(): void {
    for (const lane of this.lanes) lane.close();
  }

  /** Rejects all plans that wait: live ones with `model_unavailable`, batch ones with NotComputed. */
  private refuseWaiting(): void {
    const { scheduler } = this.parts;
    for (const pending of [...scheduler.waiting('live')]) {
      scheduler.remove(pending);
      pending.reject(this.refusal());
    }
    for (const pending of [...scheduler.waiting('batch')]) {
      scheduler.remove(pending);
      pending.reject(new NotComputed(this.refusal(), pending.attempts > 0));
    }
  }

  /** Why no plan is computed while no lane works. */
  private refusal(): ApiError {
    if (this.lanes.some(({ isStuck }) => isStuck)) return restarting();
    const pause = Math.min(...this.lanes.map(({ pauseLeft }) => pauseLeft));
    return new ApiError('model_unavailable', 'The model has stopped working; the server is restarting it.', {
      retryAfterSeconds: Math.max(1, Math.ceil(pause / 1_000)),
    });
  }

  /** Fills the next wave of a lane. A plan with which that fails is rejected; the others of its context run again. */
  private fill(lane: EngineLane): Wave<Pending> | null {
    for (;;) {
      try {
        const working = this.lanes.filter(({ isWorking }) => isWorking);
        return this.parts.scheduler.fill(
          lane.context,
          working.map(({ context }) => context),
        );
      } catch (error) {
        const { running } = lane.context.cache;
        const cause = this.parts.scheduler.removeCandidate();
        cause?.reject(error);
        this.runAgain(lane, running, error)();
        // The next attempt would fail in the same way.
        if (cause === null && running.length === 0) return null;
      }
    }
  }

  private async send(lane: EngineLane, wave: Wave<Pending>): Promise<void> {
    const { clock, events } = this.parts;
    const now = clock.monotonic();
    for (const { entry } of wave.running) entry.start(now);
    const limitMs = waveLimitMs(wave.cost, this.drain.msPerToken);
    const measured = this.drain.measure();
    this.record(lane, wave.running);
    lane.context.computing = wave.cost;
    let finish: () => void;
    try {
      const answered = settle(lane.context, wave, await lane.send(wave.task, limitMs));
      lane.context.computing = 0;
      const tokens = tokensOf(wave);
      measured(tokens);
      events.waveDone({
        lane: lane.number,
        tokens,
        fill: wave.cost / lane.context.bounds.waveTokens,
        ms: clock.monotonic() - now,
        prefixes: wave.prefixes,
      });
      lane.done();
      const end = clock.monotonic();
      finish = () => {
        for (const { entry, logits, cachedTokens } of answered) entry.resolve(logits, end, cachedTokens);
      };
    } catch (error) {
      if (lane.isStuck) {
        this.abandon(lane, wave.running, error as Error);
        return;
      }
      const giveUp = this.runAgain(lane, wave.running, error);
      finish = () => {
        giveUp();
        // Plans that are equal to one that was given up no longer wait for it.
        this.dispatch();
      };
      lane.failed(error, wave.running.length === 1 && isNotNumbers(error));
    }
    // The next wave starts before the answers of this one are written.
    this.dispatch();
    if (!lane.isBusy) this.record(lane, []);
    finish();
  }

  private record(lane: EngineLane, running: ReadonlyArray<Running<Pending>>): void {
    const labels = running.flatMap(({ entry: { label } }) => label ?? []);
    this.parts.record?.begin(lane.number, labels);
  }

  /** Ends the plans of a wave that does not end. The others of its context run again on other lanes. */
  private abandon(lane: EngineLane, wave: ReadonlyArray<Running<Pending>>, error: Error): void {
    this.parts.record?.abandon(lane.number, error.message);
    for (const { entry } of wave) entry.reject(restarting());
    this.runAgain(lane, [], error)();
    this.dispatch();
  }

  /**
   * Queues the plans of a context again after a failed wave: what was computed of them is lost. Those of the wave run
   * alone from now on. The returned function rejects those for which it was an attempt too many, or a spoiled wave of others.
   */
  private runAgain(
    { context }: EngineLane,
    wave: ReadonlyArray<Running<Pending>>,
    error: unknown,
  ): () => void {
    this.parts.events.waveLost();
    const suspects = new Set(wave.map(({ entry }) => entry));
    const lost = new Set([...suspects, ...context.cache.running.map(({ entry }) => entry)]);
    context.lose();
    for (const entry of lost) entry.lose();
    // A thread that did not start has computed nothing.
    if (!(error instanceof ThreadStartError)) {
      for (const entry of suspects) {
        entry.attempts += 1;
        entry.alone = true;
      }
    }
    if (isNotNumbers(error)) for (const entry of lost) if (!suspects.has(entry)) entry.spoiled += 1;
    const wanted = [...lost].filter(({ dropped }) => !dropped);
    const hasFailed = ({ attempts, spoiled }: Pending) => attempts >= ATTEMPTS_MAX || spoiled >= SPOILED_MAX;
    const failed = wanted.filter(hasFailed);
    this.parts.scheduler.addAgain(wanted.filter((entry) => !hasFailed(entry)));
    return () => {
      for (const entry of failed) entry.reject(error);
    };
  }
}

const restarting = () =>
  new ApiError('model_unavailable', 'The model has stopped working; the server is about to restart.', {
    retryAfterSeconds: RESTART_SECONDS,
  });

const tokensOf = ({ task }: Wave<Pending>) =>
  task.phases.reduce(
    (sum, { streams }) => sum + streams.reduce((total, { tokens }) => total + tokens.length, 0),
    0,
  );
