import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { type Clock, systemClock } from '../../base/index.js';

/** Free file descriptors needed to keep listening, and to resume after there were too few. */
const FREE_MIN = 8;
const FREE_AGAIN = 32;
/** How often the free descriptors are checked. */
const LOOK_MS = 500;

/** A listener that can pause and resume at the same address. */
export interface Listening {
  /** Closes the connections without a request; returns how many there were. */
  closeIdle(): number;
  close(): void;
  /** Calls `failed` if the address is not available. */
  open(failed: () => void): void;
}

/**
 * Closes idle connections when the process is out of file descriptors, and if there are none, pauses a listener while the process is out of file descriptors, until the returned function is called. Otherwise both
 * libraries would retry the same connection in a busy loop; with the listener closed, the client is refused.
 */
export function guardDescriptors(listening: Listening, clock: Clock = systemClock): () => void {
  let open = true;
  let cancel = () => {};
  // While the listener is closed, nothing else may keep the process alive.
  let alive: NodeJS.Timeout | undefined;
  const closed = () => {
    open = false;
    alive ??= setInterval(() => {}, LOOK_MS);
  };
  const look = () => {
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
    cancel = clock.after(LOOK_MS, look);
  };
  cancel = clock.after(LOOK_MS, look);
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
