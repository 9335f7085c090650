import type { Usage } from '../api/api-types.js';

export type UsageRow = Usage['data'][number];
export type Kind = UsageRow['kind'];

/** The kinds with their titles, in the order in which a bar stacks them. */
export const KINDS: ReadonlyArray<readonly [Kind, string]> = [
  ['live', 'Live'],
  ['batch', 'Batch'],
];

/** What is shown. '': every model, or every kind. */
export interface Selection {
  readonly model: string;
  readonly kind: Kind | '';
}

export const select = (rows: readonly UsageRow[], { model, kind }: Selection): UsageRow[] =>
  rows.filter((row) => (model === '' || row.model === model) && (kind === '' || row.kind === kind));

/** The models of the rows, each once, sorted. */
export const modelsOf = (rows: readonly UsageRow[]): string[] =>
  [...new Set(rows.map(({ model }) => model))].sort();

/** The sums of rows. */
export function totalOf(rows: readonly UsageRow[]): Usage['total'] {
  const total = { requests: 0, input_tokens: 0, amount: 0 };
  for (const row of rows) {
    total.requests += row.requests;
    total.input_tokens += row.input_tokens;
    total.amount += row.amount;
  }
  return total;
}

/** What was charged on a day, by kind. */
export interface Bar {
  readonly day: string;
  readonly amounts: Readonly<Record<Kind, number>>;
  readonly sum: number;
}

const DAY_MS = 86_400_000;

/** A bar for every day of the range, also for those without charges. */
export function barsOf({ from, to }: Pick<Usage, 'from' | 'to'>, rows: readonly UsageRow[]): Bar[] {
  const sums = new Map<string, Record<Kind, number>>();
  for (const { day, kind, amount } of rows) {
    const amounts = sums.get(day) ?? { live: 0, batch: 0 };
    amounts[kind] += amount;
    sums.set(day, amounts);
  }
  const bars: Bar[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    const amounts = sums.get(day) ?? { live: 0, batch: 0 };
    bars.push({ day, amounts, sum: amounts.live + amounts.batch });
  }
  return bars;
}

/** The days from today to the last day of a key, both UTC days: a key of 30 days begins with 30. Negative: it has ended. */
export const daysLeft = (expires: string, now: number): number =>
  Date.parse(expires) / DAY_MS - Math.floor(now / DAY_MS);
