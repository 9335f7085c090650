/** The precision with which the last use of a key is stored, in milliseconds. */
export const USE_PRECISION_MS = 60 * 60 * 1_000;
/** Keys whose last use one transaction stores. The next one stores the others. */
export const USES_PER_WRITE_MAX = 10_000;

/** When keys were last used: the beginning of the hour, in milliseconds since 1970, by the id of the key. */
export type LastUses = ReadonlyMap<string, number>;

/**
 * Records in which hour each key was last used, and which of it is not stored yet. A server stores a key once an hour at
 * most, however many requests it sends. The number of keys bounds the memory.
 */
export class KeyUses {
  private readonly noted = new Map<string, number>();
  private readonly unstored = new Map<string, number>();

  /** A request with the key was authenticated. `now`: milliseconds since 1970. */
  note(key: string, now: number): void {
    const hour = now - (now % USE_PRECISION_MS);
    if (this.noted.get(key) === hour) return;
    this.noted.set(key, hour);
    this.unstored.set(key, hour);
  }

  /** What is not stored yet, the earliest first, at most USES_PER_WRITE_MAX. Remains until `stored` is called. */
  pending(): LastUses {
    const pending = new Map<string, number>();
    for (const [key, hour] of this.unstored) {
      if (pending.size === USES_PER_WRITE_MAX) break;
      pending.set(key, hour);
    }
    return pending;
  }

  /** What `pending` returned is stored. */
  stored(uses: LastUses): void {
    for (const [key, hour] of uses) {
      if (this.unstored.get(key) === hour) this.unstored.delete(key);
    }
  }
}
