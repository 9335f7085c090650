import type { RawWrite, Store, Value } from '../store/index.js';
import { daysOf } from './calendar.js';
import type { Amount, Charge } from './money.js';

/** Writes taken for a transaction. Either `written` or `lost` is called, once. */
export interface TakenWrites {
  readonly writes: readonly RawWrite[];
  /** The transaction is on the disk. `today`: the UTC day. */
  written(today: string): void;
  /** The transaction failed. The next `take` must return its writes again. */
  lost(): void;
}

/** A source of writes that join the ledger's transactions. */
export interface FlushPart {
  /** Returns all changes since the last call. */
  take(): TakenWrites;
}

interface Counter {
  readonly parts: readonly string[];
  requests: number;
  inputTokens: number;
  amount: Amount;
}

/**
 * Usage counters by workspace, UTC day, key, model, kind and price. The price is part of a counter's key, so that
 * amount = tokens × price holds for each counter even when prices change.
 */
export class UsageCounters implements FlushPart {
  private readonly counters = new Map<string, Counter>();
  private dirty = new Set<Counter>();

  constructor(private readonly store: Store) {}

  add(workspace: string, key: string, day: string, charge: Charge, amount: Amount): void {
    const { model, kind, price, inputTokens } = charge;
    const counter = this.counter([workspace, day, key, model, kind, price.toString()]);
    counter.requests += 1;
    counter.inputTokens += inputTokens;
    counter.amount += amount;
    this.dirty.add(counter);
  }

  /** The charges of a workspace in a month, including those not written yet. */
  chargedIn(workspace: string, month: string): Amount {
    let sum = 0n;
    for (const { parts, amount } of this.counters.values()) {
      if (parts[0] === workspace && parts[1]?.startsWith(month)) sum += amount;
    }
    for (const { name, amount } of storedCounters(this.store, workspace, month)) {
      if (!this.counters.has(name)) sum += amount;
    }
    return sum;
  }

  take(): TakenWrites {
    const taken = this.dirty;
    this.dirty = new Set();
    const table = this.store.table('usage');
    return {
      writes: [...taken].map((counter) => table.write(counter.parts, rowOf(counter))),
      written: (today) => this.forgetBut(today),
      lost: () => {
        for (const counter of taken) this.dirty.add(counter);
      },
    };
  }

  /** Counters of other days are unlikely to change again. */
  private forgetBut(today: string): void {
    for (const [name, counter] of this.counters) {
      if (counter.parts[1] !== today && !this.dirty.has(counter)) this.counters.delete(name);
    }
  }

  private counter(parts: readonly string[]): Counter {
    const name = nameOf(parts);
    const known = this.counters.get(name);
    if (known !== undefined) return known;
    const row = this.store.table('usage').get(...parts);
    const counter = {
      parts,
      requests: row?.requests ?? 0,
      inputTokens: row?.inputTokens ?? 0,
      amount: BigInt(row?.amount ?? 0),
    };
    this.counters.set(name, counter);
    return counter;
  }
}

/** The stored charges of a workspace in a month. */
export function chargedIn(store: Store, workspace: string, month: string): Amount {
  let sum = 0n;
  for (const { amount } of storedCounters(store, workspace, month)) sum += amount;
  return sum;
}

/** The stored counters of a workspace in a month. */
function* storedCounters(
  store: Store,
  workspace: string,
  month: string,
): Generator<{ name: string; amount: Amount }> {
  const table = store.table('usage');
  for (const day of daysOf(month)) {
    for (const { key, value } of table.entries(workspace, day)) {
      yield { name: nameOf(key as string[]), amount: BigInt(value.amount) };
    }
  }
}

const nameOf = (parts: readonly string[]) => parts.join('\0');

const rowOf = ({ requests, inputTokens, amount }: Counter): Value<'usage'> => ({
  requests,
  inputTokens,
  amount: amount.toString(),
});
