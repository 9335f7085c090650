import { type Amount, type Charge, daysOf, type UsageRow, usageRow } from '../../../access/index.js';
import { nextTurn } from '../../../base/index.js';
import type { Store } from '../lmdb/store.js';
import type { Value } from '../lmdb/table.js';
import type { LedgerPart, TakenChanges } from './part.js';

/** Days that are read in one turn of the event loop: a row for each model, kind and price, in 4 µs each. */
const TURN_DAYS = 8;

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
export class UsageCounters implements LedgerPart {
  /** In memory, by key id and by name. A counter in memory is at least as new as the stored one. */
  private readonly counters = new Map<string, Map<string, Counter>>();
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
    for (const ofKey of this.counters.values()) {
      for (const { parts, amount } of ofKey.values()) {
        if (parts[0] === workspace && parts[1]?.startsWith(month)) sum += amount;
      }
    }
    for (const { key, name, amount } of storedCounters(this.store, workspace, month)) {
      if (this.counters.get(key)?.has(name) !== true) sum += amount;
    }
    return sum;
  }

  /**
   * The counters of a key on some days, including what is not written yet, in no particular order. Reads only the rows of
   * this key, in turns of the event loop. Rejects with StoreError.
   */
  async ofKey(workspace: string, key: string, days: readonly string[]): Promise<UsageRow[]> {
    const rows = new Map<string, UsageRow>();
    for (const [name, counter] of this.counters.get(key) ?? []) {
      const [owner, day] = counter.parts;
      if (owner === workspace && days.includes(day as string))
        rows.set(name, usageRow(counter.parts, counter));
    }
    const table = this.store.table('usage');
    for (const [at, day] of days.entries()) {
      if (at > 0 && at % TURN_DAYS === 0) await nextTurn();
      for (const { key: parts, value } of table.entries(workspace, day, key)) {
        const names = parts as string[];
        if (rows.has(nameOf(names))) continue;
        rows.set(nameOf(names), usageRow(names, { ...value, amount: BigInt(value.amount) }));
      }
    }
    return [...rows.values()];
  }

  take(): TakenChanges {
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
    for (const [key, ofKey] of this.counters) {
      for (const [name, counter] of ofKey) {
        if (counter.parts[1] !== today && !this.dirty.has(counter)) ofKey.delete(name);
      }
      if (ofKey.size === 0) this.counters.delete(key);
    }
  }

  private counter(parts: readonly string[]): Counter {
    const [name, key] = [nameOf(parts), parts[2] as string];
    const ofKey = this.counters.get(key) ?? new Map<string, Counter>();
    const known = ofKey.get(name);
    if (known !== undefined) return known;
    const row = this.store.table('usage').get(...parts);
    const counter = {
      parts,
      requests: row?.requests ?? 0,
      inputTokens: row?.inputTokens ?? 0,
      amount: BigInt(row?.amount ?? 0),
    };
    this.counters.set(key, ofKey.set(name, counter));
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
): Generator<{ key: string; name: string; amount: Amount }> {
  const table = store.table('usage');
  for (const day of daysOf(month)) {
    for (const { key, value } of table.entries(workspace, day)) {
      const parts = key as string[];
      yield { key: parts[2] as string, name: nameOf(parts), amount: BigInt(value.amount) };
    }
  }
}

const nameOf = (parts: readonly string[]) => parts.join('\0');

const rowOf = ({ requests, inputTokens, amount }: Counter): Value<'usage'> => ({
  requests,
  inputTokens,
  amount: amount.toString(),
});
