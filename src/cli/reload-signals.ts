import type { EventEmitter } from 'node:events';
import { OperatorError } from '../base/index.js';

/** Sent by `decider reload` and `decider rekey`. */
const RELOAD_SIGNAL = 'SIGUSR2';

/**
 * Calls `reload` at each SIGHUP, and at each RELOAD_SIGNAL with which `rekey` begins no change of the master key. If standard input is a terminal, SIGHUP means that it was closed, and
 * ends the process as usual.
 */
export function onReloadSignals(
  reload: () => void,
  rekey: () => boolean,
  isTerminal: boolean,
  signals: Pick<EventEmitter, 'on'> = process,
): void {
  signals.on(RELOAD_SIGNAL, () => {
    if (!rekey()) reload();
  });
  if (!isTerminal) signals.on('SIGHUP', reload);
}

/** Makes a server read its settings, or a request in its data folder. Throws OperatorError. */
export function signalServer(pid: number): void {
  try {
    process.kill(pid, RELOAD_SIGNAL);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') throw new OperatorError(`Process ${pid} has ended.`);
    const advice = code === 'EPERM' ? ' Run the command as the user of that process.' : '';
    throw new OperatorError(`Process ${pid} cannot be signalled: ${message}.${advice}`);
  }
}
