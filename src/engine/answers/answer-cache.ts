import type { Plan, PlanLogits } from '../wave/wave-types.js';

/**
 * Bytes that an answer takes besides its logits: key, entry and typed array. Measured with Node 20: 310 to 380 bytes, and
 * up to 100 more that the memory of the process grows by.
 */
const ENTRY_BYTES = 512;
/**
 * A Map whose entries come and go is rebuilt now and then, as a whole: 10 ms for 100,000 entries. Each of these maps has a
 * part of the keys.
 */
const MAPS = 64;

/** An answer, between those that were used before and after it. */
interface Entry {
  readonly key: string;
  /** All logits of the plan, one suffix after the other. */
  readonly logits: Float32Array;
  older: Entry | null;
  newer: Entry | null;
}

/**
 * The logits of plans, by their keys (see `answerKey`), bounded by bytes: the least recently used
 * answers are evicted.
 *
 * Stored logits are never handed out: `set` and `get` copy.
 */
export class AnswerCache {
  private readonly maps = Array.from({ length: MAPS }, () => new Map<string, Entry>());
  private oldest: Entry | null = null;
  private newest: Entry | null = null;
  private taken = 0;

  /** @param onEvict called for each evicted answer */
  constructor(private readonly onEvict: () => void = () => {}) {}

  /** Bytes of all answers, with what storing them takes. */
  get bytes(): number {
    return this.taken;
  }

  /** The logits of a plan with this key; undefined if they are not stored. */
  get(key: string, { suffixes }: Pick<Plan, 'suffixes'>): PlanLogits | undefined {
    const entry = this.mapOf(key).get(key);
    if (entry === undefined) return undefined;
    this.unlink(entry);
    this.append(entry);
    let at = 0;
    return suffixes.map(({ options }) => {
      at += options.length;
      return entry.logits.slice(at - options.length, at);
    });
  }

  /** Stores the logits of a plan. Those that alone exceed the limit are not stored. */
  set(key: string, logits: PlanLogits, bytesMax: number): void {
    const map = this.mapOf(key);
    const before = map.get(key);
    if (before !== undefined) this.remove(before);
    const entry: Entry = { key, logits: joined(logits), older: null, newer: null };
    const bytes = bytesOf(entry);
    if (bytes > bytesMax) return;
    this.shrink(bytesMax - bytes);
    map.set(key, entry);
    this.append(entry);
    this.taken += bytes;
  }

  /** Evicts the least recently used answers until the others take at most `bytesMax`. */
  shrink(bytesMax: number): void {
    while (this.oldest !== null && this.taken > bytesMax) {
      this.remove(this.oldest);
      this.onEvict();
    }
  }

  private mapOf(key: string): Map<string, Entry> {
    return this.maps[key.charCodeAt(0) % MAPS] as Map<string, Entry>;
  }

  private remove(entry: Entry): void {
    this.mapOf(entry.key).delete(entry.key);
    this.unlink(entry);
    this.taken -= bytesOf(entry);
  }

  private append(entry: Entry): void {
    entry.older = this.newest;
    entry.newer = null;
    if (this.newest !== null) this.newest.newer = entry;
    this.newest = entry;
    this.oldest ??= entry;
  }

  private unlink(entry: Entry): void {
    const { older, newer } = entry;
    if (older === null) this.oldest = newer;
    else older.newer = newer;
    if (newer === null) this.newest = older;
    else newer.older = older;
  }
}

const bytesOf = ({ logits }: Entry): number => ENTRY_BYTES + logits.byteLength;

function joined(logits: PlanLogits): Float32Array {
  const all = new Float32Array(logits.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const each of logits) {
    all.set(each, at);
    at += each.length;
  }
  return all;
}
