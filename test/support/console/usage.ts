import { dayOf, monthOf, parsePrice } from '../../../src/access/index.js';
import { createKey, createWorkspace, grantCredit } from '../access/folder-changes.js';
import type { ConsoleWorld } from './console.js';

const DAY_MS = 86_400_000;
const LIVE = parsePrice('0.0015') as bigint;
const DAYS = 30;

/** A key that was used on most of the last 30 days, with several models. Stored directly: nothing is computed. */
export async function usedKey({ store, clock }: ConsoleWorld): Promise<string> {
  const workspace = `used-${clock.now()}`;
  createWorkspace(store, clock, workspace);
  grantCredit(store, clock, workspace, 5n * 10n ** 12n);
  const { key, token } = createKey(store, clock, workspace);
  const table = store.table('usage');
  const writes = [];
  const month = monthOf(clock.now());
  let [charged, monthCharged] = [0n, 0n];
  for (let ago = 1; ago < DAYS; ago += 1) {
    const day = dayOf(clock.now() - ago * DAY_MS);
    for (const [at, [model, kind, price]] of [
      ['decider-g-12b', 'live', LIVE],
      ['decider-g-12b', 'batch', LIVE / 2n],
      ['decider-g-31b', 'live', 3n * LIVE],
    ].entries() as ArrayIterator<[number, [string, string, bigint]]>) {
      // Weeks with a weekend, and a large batch now and then.
      const requests = ago % 7 < 2 ? 0 : (ago * (at + 3) * 37) % 900;
      if (requests === 0 || (kind === 'batch' && ago % 3 !== 0)) continue;
      const inputTokens = 131 * requests;
      const amount = BigInt(inputTokens) * price;
      charged += amount;
      if (day.startsWith(month)) monthCharged += amount;
      const row = { requests, inputTokens, amount: amount.toString() };
      writes.push(table.write([workspace, day, key.id, model, kind, price.toString()], row));
    }
  }
  const account = { charged: charged.toString(), month, monthCharged: monthCharged.toString() };
  await store.write([...writes, store.table('accounts').write([workspace], account)]);
  return token;
}
