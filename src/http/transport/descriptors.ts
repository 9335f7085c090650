import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { type Clock, systemClock } from '../../base/index.js';

/** Free file descriptors needed to keep listening, and to resume after there were too few. */
const FREE_MIN = 8;
const FREE_AGAIN = 32;
/** How often the free descriptors are checked. */
const POLL_MS = 500;

/** A listener that can pause and resume at the same address. */
export interface Listening {
  /** Closes the connections without a request; returns how many there were. */
  closeIdle(): number;
  close(): void;
  /** Calls `failed` if the address is not available. */
  open(failed: () => void): void;
}

/**
 * Closes idle connections when the process runs out of file descriptors. If there are none, pauses the listener until
 * descriptors are free again. Otherwise both libraries would retry the same connection in a busy loop; with the listener
 * closed, the client is refused. The returned function ends the checks.
 */
export function guardDescriptors(listening: Listening, clock: Clock = systemClock): () => void {
  let open = true;
  let cancel = () => {};
  // While the listener is closed, nothing else may keep the process alive.
  let alive: NodeJS.Timeout | undefined;
  const closed = () => {
    open = false;
    alive ??= setInterval(() => {}, POLL_MS);
  };
  const check = () => {
    if (open && !canOpen(FREE_MIN) && listening.closeIdle() === 0) {
      closed();
      listening.close();
    } else if (!open && canOpen(FREE_AGAIN)) {
      open = true;
      listening.open(closed);
    }
    if (open) {
      clearInterval(alive);
      alive = undefined;
    }
    cancel = clock.after(POLL_MS, check);
  };
  cancel = clock.after(POLL_MS, check);
  return () => {
    clearInterval(alive);
    cancel();
  };
}

/** Whether `count` descriptors can be opened. */
function canOpen(count: number): boolean {
  const had: number[] = [];
  try {
    while (had.length < count) had.push(openSync(devNull, 'r'));
    return true;
  } catch {
    return false;
  } finally {
    for (const descriptor of had) closeSync(descriptor);
  }
}
