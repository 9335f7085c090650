import { parseDay } from './dates.js';
import type { Amount } from './money.js';
import { AccessError } from './workspaces.js';

/** Selects counters. Days are in UTC, such as `2026-11-21`; `from` and `to` are inclusive. */
export interface UsageFilter {
  readonly workspace?: string | undefined;
  readonly key?: string | undefined;
  /** A model, which need not be served any longer. */
  readonly model?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The usage of a model by a key, on a day, at one price. */
export interface UsageRow {
  readonly workspace: string;
  readonly day: string;
  readonly key: string;
  readonly model: string;
  /** `live` or `batch`. */
  readonly kind: string;
  /** Units per input token. */
  readonly price: Amount;
  readonly requests: number;
  readonly inputTokens: number;
  readonly amount: Amount;
}

/** The usage of a model by a key, on a day, at all prices. */
export type UsageSum = Omit<UsageRow, 'price'>;

/** Merges the rows that differ only in price. */
export function sumPrices(rows: readonly UsageRow[]): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const { price: _, ...row } of rows) {
    const name = [row.workspace, row.day, row.key, row.model, row.kind].join('\0');
    const sum = sums.get(name);
    sums.set(name, sum === undefined ? row : add(sum, row));
  }
  return [...sums.values()];
}

/** A row from the parts of a counter's key, and what it has counted. */
export function usageRow(
  parts: readonly string[],
  { requests, inputTokens, amount }: Pick<UsageRow, 'requests' | 'inputTokens' | 'amount'>,
): UsageRow {
  const [workspace, day, key, model, kind, price] = parts as [string, string, string, string, string, string];
  return { workspace, day, key, model, kind, price: BigInt(price), requests, inputTokens, amount };
}

const add = (sum: UsageSum, { requests, inputTokens, amount }: UsageSum): UsageSum => ({
  ...sum,
  requests: sum.requests + requests,
  inputTokens: sum.inputTokens + inputTokens,
  amount: sum.amount + amount,
});

/** Throws AccessError if a day is invalid, or the first is after the last. */
export function checkDays({ from, to }: UsageFilter): void {
  for (const [name, text] of Object.entries({ from, to })) {
    if (text === undefined || parseDay(text) !== null) continue;
    throw new AccessError(name, `"${text}" is not a day such as 2026-11-21.`);
  }
  if (from !== undefined && to !== undefined && from > to) {
    throw new AccessError('from', `${from} is after ${to}, the last day.`);
  }
}
