import type { Administration } from './administration.js';
import { lastDayOf } from './dates.js';
import type { Amount } from './money.js';
import { AccessError } from './workspaces.js';

/** The use of a model in a month at one price: amount = input tokens × price. */
interface InvoiceLine {
  readonly model: string;
  /** `live` or `batch`. */
  readonly kind: string;
  /** Units per input token. */
  readonly price: Amount;
  readonly requests: number;
  readonly inputTokens: number;
  readonly amount: Amount;
}

/** The charges of a workspace in a UTC month. */
export interface Invoice {
  readonly workspace: string;
  /** Such as `2026-11`. */
  readonly month: string;
  /** Sorted by model, kind and price. */
  readonly lines: readonly InvoiceLine[];
  readonly total: Pick<InvoiceLine, 'requests' | 'inputTokens' | 'amount'>;
}

/** The charges of a workspace in a UTC month written as `2026-11`. Rejects with AccessError if either does not exist. */
export async function readInvoice(
  administration: Pick<Administration, 'usage'>,
  workspace: string,
  month: string,
): Promise<Invoice> {
  const to = lastDayOf(month);
  if (to === null) throw new AccessError('month', `"${month}" is not a month such as 2026-11.`);
  const usage = await administration.usage({ workspace, from: `${month}-01`, to });
  const lines = new Map<string, InvoiceLine>();
  let total = { requests: 0, inputTokens: 0, amount: 0n };
  for (const row of usage) {
    const { model, kind, price } = row;
    const name = [model, kind, price].join('\0');
    lines.set(name, { model, kind, price, ...sum(lines.get(name), row) });
    total = sum(total, row);
  }
  return { workspace, month, lines: [...lines.values()].sort(byModelKindPrice), total };
}

function byModelKindPrice(one: InvoiceLine, other: InvoiceLine): number {
  if (one.model !== other.model) return one.model < other.model ? -1 : 1;
  if (one.kind !== other.kind) return one.kind < other.kind ? -1 : 1;
  return one.price < other.price ? -1 : 1;
}

const sum = (one: Invoice['total'] | undefined, other: Invoice['total']) => ({
  requests: (one?.requests ?? 0) + other.requests,
  inputTokens: (one?.inputTokens ?? 0) + other.inputTokens,
  amount: (one?.amount ?? 0n) + other.amount,
});
