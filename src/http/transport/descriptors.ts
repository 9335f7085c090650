import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { type Clock, systemClock } from '../../base/index.js';

/** How many file descriptors must be free to go on listening, and how many to listen again after too few were. */
const FREE_MIN = 8;
const FREE_AGAIN = 32;
/** How often that is looked at. */
const LOOK_MS = 500;

/** What can stop listening and begin again, at the same address. */
export interface Listening {
  close(): void;
  /** Calls `failed` where the address cannot be had. */
  open(failed: () => void): void;
}

/**
 * Closes a listener while the process is out of file descriptors, until the function returned is called. Both
 * libraries otherwise try the same connection again and again, which takes a whole core; a client is refused instead.
 */
export function guardDescriptors(listening: Listening, clock: Clock = systemClock): () => void {
  let open = true;
  let cancel = () => {};
  // Without a listener nothing else may keep the process alive.
  let alive: NodeJS.Timeout | undefined;
  const closed = () => {
    open = false;
    alive ??= setInterval(() => {}, LOOK_MS);
  };
  const look = () => {
    if (open && !areFree(FREE_MIN)) {
      closed();
      listening.close();
    } else if (!open && areFree(FREE_AGAIN)) {
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

/** Whether so many descriptors can be had. */
function areFree(count: number): boolean {
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
