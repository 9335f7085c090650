/**
 * The states of a lane.
 *
 * A lane that is `free` takes the next wave and is `busy` until the wave ends. A failed wave leaves its thread in an
 * unknown condition, or ended it: the lane is `restarting` until its thread, or the one that replaces it, has answered
 * that its context exists. After a failed decode that is a new one. It is `resting` for a while if that thread does not
 * start, or if too many waves in a row have failed although it does. After the pause it is `probing`: its thread starts
 * again, as in `restarting`. Each pause in a row is twice as long as the one before. A wave that is computed ends the row.
 *
 * A lane is `stuck` if a wave, or the start of its thread, takes longer than it can (`waveLimitMs`). A thread cannot be
 * ended inside native code, so a stuck lane never works again, and the process has to be restarted.
 *
 * Plans are given only to free lanes, so a lane that cannot restart takes none.
 */
export type LaneState = 'free' | 'busy' | 'restarting' | 'resting' | 'probing' | 'stuck' | 'closed';

export type LaneEvent =
  /** A wave is given to the thread. */
  | 'sent'
  | 'wave_done'
  /** The wave was not computed, or the thread ended in the middle of it. */
  | 'wave_failed'
  /** The same, and it was the last of the failures in a row that a lane may have. */
  | 'wave_failed_again'
  /** A wave or a start exceeded its time limit. */
  | 'timed_out'
  /** The thread has a context. */
  | 'started'
  /** The thread ended before it had a context. */
  | 'not_started'
  /** The pause is over. */
  | 'rested'
  /** The process stops. */
  | 'closed';

/** Events of what was in progress, which no longer change the state. */
const stays = <State extends LaneState>(state: State) => ({
  wave_done: state,
  wave_failed: state,
  wave_failed_again: state,
  started: state,
  not_started: state,
  rested: state,
});

/** The state after an event. What is not listed cannot happen. */
export const TRANSITIONS: Readonly<Record<LaneState, Readonly<Partial<Record<LaneEvent, LaneState>>>>> = {
  free: { sent: 'busy', closed: 'closed' },
  busy: {
    wave_done: 'free',
    wave_failed: 'restarting',
    wave_failed_again: 'resting',
    timed_out: 'stuck',
    not_started: 'resting',
    closed: 'closed',
  },
  restarting: { started: 'free', not_started: 'resting', timed_out: 'stuck', closed: 'closed' },
  resting: { rested: 'probing', closed: 'closed' },
  probing: { started: 'free', not_started: 'resting', timed_out: 'stuck', closed: 'closed' },
  stuck: { ...stays('stuck'), closed: 'closed' },
  closed: { ...stays('closed'), timed_out: 'closed', closed: 'closed' },
};

export const LANE_STATES = Object.keys(TRANSITIONS) as readonly LaneState[];

/** States in which plans may wait for the lane: it computes one soon. */
const WORKING: ReadonlySet<LaneState> = new Set(['free', 'busy', 'restarting']);

/** Whether plans may wait for a lane in this state. */
export const isWorking = (state: LaneState): boolean => WORKING.has(state);

/** The state after an event. Throws an Error if the event cannot happen in the state. */
export function nextState(state: LaneState, event: LaneEvent): LaneState {
  const next = TRANSITIONS[state][event];
  if (next === undefined) throw new Error(`a lane that is ${state} cannot have the event ${event}`);
  return next;
}
