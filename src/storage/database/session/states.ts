/**
 * `joining`: the node has no session; it tries to register. `joined`: the database has its row, as far as the node knows.
 * `ended`: the node has left.
 */
export type SessionState = 'joining' | 'joined' | 'ended';

type SessionEvent =
  /** The database has a new row for the node. */
  | 'registered'
  /** The row is gone: the session expired, and another node has deleted it. */
  | 'lost'
  /** What the node holds of it contradicts itself or the database: the node deletes the row itself. */
  | 'failed'
  /** The node leaves. */
  | 'left';

/** `stay`: nothing changes. `never`: a defect in this program. */
type Transition = SessionState | 'stay' | 'never';

const TRANSITIONS: Readonly<Record<SessionState, Readonly<Record<SessionEvent, Transition>>>> = {
  joining: {
    registered: 'joined',
    // Several transactions can notice the loss of one session.
    lost: 'stay',
    failed: 'stay',
    left: 'ended',
  },
  joined: {
    registered: 'never',
    lost: 'joining',
    failed: 'joining',
    left: 'ended',
  },
  ended: {
    // The node left while it was being registered.
    registered: 'stay',
    lost: 'stay',
    failed: 'stay',
    left: 'stay',
  },
};

/** The state after an event. */
export function nextState(state: SessionState, event: SessionEvent): SessionState {
  const next = TRANSITIONS[state][event];
  if (next === 'never') throw new Error(`the event ${event} is impossible for a session that is ${state}`);
  return next === 'stay' ? state : next;
}
