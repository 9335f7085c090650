import type { Reply } from './service.js';

/** A row of the usage of a key, of any days. */
interface Used {
  readonly model: string;
  readonly kind: string;
  readonly requests: number;
  readonly input_tokens: number;
  readonly amount: number;
}

/** What `GET /v1/usage` shows, by model and kind. The days are added up: one may end during a test. */
export function used({ json }: Reply): Used[] {
  const sums = new Map<string, Used>();
  for (const { day: _, ...row } of json.data as (Used & { readonly day: string })[]) {
    const name = `${row.model} ${row.kind}`;
    const { requests, input_tokens, amount } = sums.get(name) ?? { requests: 0, input_tokens: 0, amount: 0 };
    sums.set(name, {
      ...row,
      requests: requests + row.requests,
      input_tokens: input_tokens + row.input_tokens,
      amount: Number((amount + row.amount).toFixed(12)),
    });
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}
