import type { KeyUses, LastUses } from '../../../access/index.js';
import type { LedgerPart, TakenChanges } from '../ledger/part.js';
import type { Store } from '../lmdb/store.js';

/** Stores the last uses of keys, in the transactions that it joins. */
export class FolderKeyUses implements LedgerPart {
  constructor(
    private readonly store: Store,
    private readonly uses: KeyUses,
  ) {}

  take(): TakenChanges {
    const pending = this.uses.pending();
    const table = this.store.table('key_uses');
    return {
      writes: [...pending].map(([key, used]) => table.write([key], { used })),
      written: () => this.uses.stored(pending),
      lost() {},
    };
  }
}

/** When these keys were last used, or all. */
export function lastUses(store: Store, keys?: readonly string[]): LastUses {
  const table = store.table('key_uses');
  if (keys === undefined)
    return new Map([...table.entries()].map(({ key, value }) => [key[0] as string, value.used]));
  const found = new Map<string, number>();
  for (const key of keys) {
    const used = table.get(key)?.used;
    if (used !== undefined) found.set(key, used);
  }
  return found;
}
