import type { EventEmitter } from 'node:events';
import { type Clock, OperatorError, systemClock } from '../base/index.js';

/** The status of a command that a signal ended. */
export const INTERRUPTED = 130;

/** npm forwards Ctrl-C to a server that the terminal has already interrupted: within this, both are one keypress. */
const SAME_KEYPRESS_MS = 250;

/**
 * Calls `stop` at the first SIGTERM or SIGINT, and `stopNow` at each one after it. A SIGINT that follows another within
 * 250 ms is ignored.
 */
export function onStopSignals(
  stop: () => void,
  stopNow: () => void,
  clock: Pick<Clock, 'monotonic'> = systemClock,
  signals: Pick<EventEmitter, 'on'> = process,
): void {
  let stopping = false;
  let interruptedAt = Number.NEGATIVE_INFINITY;
  const receive = () => {
    if (stopping) return stopNow();
    stopping = true;
    stop();
  };
  signals.on('SIGTERM', receive);
  signals.on('SIGINT', () => {
    const now = clock.monotonic();
    const repeated = now - interruptedAt < SAME_KEYPRESS_MS;
    interruptedAt = now;
    if (!repeated) receive();
  });
}

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
