import type { EventEmitter } from 'node:events';

/** Sent by `decider reload`. */
export const RELOAD_SIGNAL = 'SIGUSR2';

/**
 * Calls `reload` at each SIGHUP and RELOAD_SIGNAL. If standard input is a terminal, SIGHUP means that it was closed, and
 * ends the process as usual.
 */
export function onReloadSignals(
  reload: () => void,
  isTerminal: boolean,
  signals: Pick<EventEmitter, 'on'> = process,
): void {
  signals.on(RELOAD_SIGNAL, reload);
  if (!isTerminal) signals.on('SIGHUP', reload);
}
