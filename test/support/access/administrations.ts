import type { Test } from 'tap';
import type { Administration, UsageRow } from '../../../src/access/index.js';
import { systemClock } from '../../../src/base/index.js';
import { DatabaseAdministration, statement } from '../../../src/storage/database/index.js';
import type { Queryable } from '../../../src/storage/database/postgres/statement.js';
import { FolderAdministration, openStore, type Store } from '../../../src/storage/folder/index.js';
import { dataFolder } from '../data-folder.js';
import { NEEDS_POSTGRES, newDatabase } from '../postgres.js';

/** What a ledger writes into an account. */
export interface AccountSums {
  readonly charged: bigint;
  readonly month: string;
  readonly monthCharged: bigint;
}

/** An empty administration, and what only others than administrators write. */
export interface Administered {
  as(actor: string): Administration;
  /** Moves the end of a key to 1970. */
  expire(key: string): Promise<void>;
  putUsage(row: UsageRow): Promise<void>;
  putAccount(workspace: string, sums: AccountSums): Promise<void>;
  putGrant(workspace: string, number: number, amount: bigint): Promise<void>;
}

/** An implementation of administration. `options`: of its tests. */
interface Implementation {
  readonly name: string;
  readonly options: { readonly skip?: string };
  open(t: Test): Promise<Administered>;
}

export const ADMINISTRATIONS: readonly Implementation[] = [
  {
    name: 'data folder',
    options: {},
    async open(t) {
      const store = openStore(dataFolder(t));
      t.teardown(() => store.close());
      return inFolder(store);
    },
  },
  {
    name: 'database',
    options: NEEDS_POSTGRES,
    async open(t) {
      const { database } = await newDatabase(t);
      return { as: (actor) => new DatabaseAdministration(database, actor), ...rowsOf(database) };
    },
  },
];

function inFolder(store: Store): Administered {
  const put = async (work: () => void) => store.change(work);
  return {
    as: (actor) => new FolderAdministration(store, systemClock, actor),
    expire: (key) =>
      put(() => {
        const table = store.table('keys');
        table.put([key], { ...(table.get(key) as NonNullable<ReturnType<typeof table.get>>), expires: 0 });
      }),
    putUsage: ({ workspace, day, key, model, kind, price, requests, inputTokens, amount }) =>
      put(() => {
        const parts = [workspace, day, key, model, kind, String(price)];
        store.table('usage').put(parts, { requests, inputTokens, amount: String(amount) });
      }),
    putAccount: (workspace, { charged, month, monthCharged }) =>
      put(() => {
        const row = { charged: String(charged), month, monthCharged: String(monthCharged) };
        store.table('accounts').put([workspace], row);
      }),
    putGrant: (workspace, number, amount) =>
      put(() => {
        store.table('grants').put([workspace, number], { at: 0, amount: String(amount) });
      }),
  };
}

function rowsOf(database: Queryable): Omit<Administered, 'as'> {
  const write = async (text: string, ...values: unknown[]) => {
    await database.execute(statement('', text), values);
  };
  return {
    expire: (key) => write('UPDATE keys SET expires = 0 WHERE id = $1', key),
    putUsage: ({ workspace, day, key, model, kind, price, requests, inputTokens, amount }) =>
      write(
        'INSERT INTO usage VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
        ...[workspace, day, key, model, kind, price, requests, inputTokens, amount],
      ),
    putAccount: (workspace, { charged, month, monthCharged }) =>
      write(
        'INSERT INTO accounts (workspace, charged, month, month_charged) VALUES ($1, $2, $3, $4)',
        ...[workspace, charged, month, monthCharged],
      ),
    putGrant: (workspace, number, amount) =>
      write('INSERT INTO grants VALUES ($1, $2, 0, $3)', workspace, number, amount),
  };
}
