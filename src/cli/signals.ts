import type { EventEmitter } from 'node:events';
import { type Clock, systemClock } from '../base/index.js';

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
