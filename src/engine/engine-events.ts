import type { LaneState } from './lanes/lane-transitions.js';
import type { PrefixCounts } from './scheduler/scheduler-types.js';

/** A wave that was computed. */
interface ComputedWave {
  /** The number of its lane, from 1. */
  readonly lane: number;
  readonly tokens: number;
  /** The share of the most tokens of a wave that it takes, with what encoding its images costs: above 0, at most 1. */
  readonly fill: number;
  readonly ms: number;
  readonly prefixes: PrefixCounts;
}

/** Events for metrics and the log. Called before answers are sent: implementations must be fast and must not throw. */
export interface EngineEvents {
  waveDone(wave: ComputedWave): void;
  /** A wave failed, or its thread died: its plans run again, once. */
  waveLost(): void;
  /**
   * A lane has changed its state, other than between free and busy.
   *
   * @param lane its number, from 1; see `WaveRecord`
   * @param reason the error that ended its wave or its thread; null: none did
   */
  laneChanged(lane: number, state: LaneState, reason: unknown): void;
  /** A plan was refused because the queue is full. */
  planRefused(): void;
  /** A plan was cancelled before its first wave because the client disconnected. */
  planCancelled(): void;
  /** A plan was abandoned because its deadline passed. */
  planLate(): void;
  /** Exact mode, with shared answers: a plan was computed (`miss`), or answered without that (`hit`). */
  planAnswered(outcome: 'hit' | 'miss'): void;
  /** An answer was removed from the cache to make room. */
  answerEvicted(): void;
}

/** Ignores all events. */
export const UNWATCHED: EngineEvents = {
  waveDone() {},
  waveLost() {},
  laneChanged() {},
  planRefused() {},
  planCancelled() {},
  planLate() {},
  planAnswered() {},
  answerEvicted() {},
};
