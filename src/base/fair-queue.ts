import { type Owner, ShareCounts, type Shares } from './shares.js';

/** The queue of a key, of a workspace, or the whole queue is full. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';

  constructor(
    readonly share: keyof Shares,
    readonly limit: number,
  ) {
    super(`the queue of ${share} is at its limit of ${limit}`);
  }
}

interface Waiting {
  readonly owner: Owner;
  readonly start: () => void;
}

/**
 * Runs work in round-robin order over workspaces, and over the keys of each workspace, however much each has waiting.
 * The work of one key runs in the order of its arrival.
 */
export class FairQueue {
  private readonly running: ShareCounts;
  private readonly waiting: ShareCounts;
  /** Waiting work by workspace and key; in both maps the next in turn comes first. */
  private readonly turns = new Map<string, Map<string, Waiting[]>>();

  /** @param atOnce limits of concurrently running work @param inQueue limits of waiting work */
  constructor(
    atOnce: Shares,
    private readonly inQueue: Shares,
  ) {
    this.running = new ShareCounts(atOnce);
    this.waiting = new ShareCounts(inQueue);
  }

  /**
   * Calls `work` in its owner's turn and settles as it does. Rejects with QueueFull, at once, if a queue limit is
   * reached, and with the signal's reason if it aborts before the turn.
   */
  async run<Answer>(owner: Owner, work: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    await this.turn(owner, signal);
    try {
      return await work();
    } finally {
      this.running.add(owner, -1);
      this.startNext();
    }
  }

  /** The number of waiting calls. */
  get size(): number {
    return this.waiting.total;
  }

  private turn(owner: Owner, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.running.exceededBy(owner, 1) === null) {
      this.running.add(owner, 1);
      return Promise.resolve();
    }
    const full = this.waiting.exceededBy(owner, 1);
    if (full !== null) throw new QueueFull(full, this.inQueue[full]);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.remove(waiting);
        reject(signal?.reason);
      };
      const start = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const waiting = { owner, start };
      signal?.addEventListener('abort', leave, { once: true });
      this.waiting.add(owner, 1);
      const keys = entryOf(this.turns, owner.workspace, () => new Map<string, Waiting[]>());
      entryOf(keys, owner.key, () => []).push(waiting);
    });
  }

  private startNext(): void {
    for (let next = this.next(); next !== undefined; next = this.next()) {
      this.remove(next);
      // Its key and its workspace go to the end of the round.
      const keys = this.turns.get(next.owner.workspace);
      if (keys !== undefined) {
        moveToEnd(keys, next.owner.key);
        moveToEnd(this.turns, next.owner.workspace);
      }
      this.running.add(next.owner, 1);
      next.start();
    }
  }

  /** The next in turn that the limits of running work allow. */
  private next(): Waiting | undefined {
    for (const keys of this.turns.values()) {
      for (const [first] of keys.values()) {
        const full = this.running.exceededBy((first as Waiting).owner, 1);
        if (full === null) return first;
        if (full === 'all') return undefined;
        if (full === 'workspace') break;
      }
    }
    return undefined;
  }

  private remove(waiting: Waiting): void {
    const { workspace, key } = waiting.owner;
    const keys = this.turns.get(workspace);
    const own = keys?.get(key);
    if (keys === undefined || own === undefined) return;
    own.splice(own.indexOf(waiting), 1);
    if (own.length === 0) keys.delete(key);
    if (keys.size === 0) this.turns.delete(workspace);
    this.waiting.add(waiting.owner, -1);
  }
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
