/**
 * The states of a reload.
 *
 * A reload that is asked for is `reading` the settings and the manifest, and checks what needs no model. If the models are
 * the same, it is then applied at once. Otherwise it is `loading` the new builds beside the old ones, which includes their
 * checksums and first waves, and `warming` the preparing threads of the new models. New requests then switch to the new
 * models in one step, and it is `draining` until the requests and batch lines in progress no longer use the old ones.
 *
 * Until the switch, a failure changes nothing. `stopped`: the server is stopping; a reload in progress ends as failed.
 */
export type ReloadState = 'idle' | 'reading' | 'loading' | 'warming' | 'draining' | 'stopped';

export type ReloadEvent =
  | 'asked'
  /** The manifest has other models, and nothing speaks against them so far. */
  | 'read'
  /** The models are the same, and the settings are in use. */
  | 'applied'
  /** The new builds have computed their first waves. */
  | 'loaded'
  /** New requests use the new models. */
  | 'switched'
  /** The old builds are freed. */
  | 'drained'
  /** The reload was refused, and what it had loaded is freed. */
  | 'failed'
  | 'stopped';

/** The state after an event. What is not listed cannot happen. */
export const TRANSITIONS: Readonly<Record<ReloadState, Readonly<Partial<Record<ReloadEvent, ReloadState>>>>> =
  {
    idle: { asked: 'reading', stopped: 'stopped' },
    reading: { read: 'loading', applied: 'idle', failed: 'idle', stopped: 'stopped' },
    loading: { loaded: 'warming', failed: 'idle', stopped: 'stopped' },
    warming: { switched: 'draining', failed: 'idle', stopped: 'stopped' },
    draining: { drained: 'idle', stopped: 'stopped' },
    stopped: { drained: 'stopped', failed: 'stopped', stopped: 'stopped' },
  };

/** The state after an event. Throws an Error if the event cannot happen in the state. */
export function nextState(state: ReloadState, event: ReloadEvent): ReloadState {
  const next = TRANSITIONS[state][event];
  if (next === undefined) throw new Error(`a reload that is ${state} cannot have the event ${event}`);
  return next;
}
