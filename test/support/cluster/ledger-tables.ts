import { type Amount, type Caller, monthOf } from '../../../src/access/index.js';
import {
  CommitUnknown,
  type Database,
  DatabaseUnavailable,
  StatementError,
} from '../../../src/storage/database/index.js';
import type { Statement } from '../../../src/storage/database/postgres/statement.js';

export interface AccountRow {
  readonly charged: Amount;
  readonly month: string;
  readonly monthCharged: Amount;
  readonly leased: Amount;
  readonly exact: boolean;
}

export interface LeaseRow {
  readonly amount: Amount;
  readonly exact: boolean;
}

/** The rows of the ledger's tables. The maps are copied by a transaction and replaced by its commit. */
export interface Rows {
  readonly accounts: Map<string, AccountRow>;
  /** By workspace and node, separated by a space. */
  readonly leases: Map<string, LeaseRow>;
  /** The number of the last exchange of each session. */
  readonly nodes: Map<number, number>;
  /** By workspace and day, separated by a space. */
  readonly usage: Map<string, Amount>;
}

export interface Terms {
  readonly granted: Amount;
  readonly budget: Amount | null;
}

/** What happens to the statement, or the commit, that waits. */
export type Outcome = 'answered' | 'refused' | 'cut before' | 'cut after';

interface Watcher {
  /** A transaction begins: the node has taken what it exchanges. */
  begun(): void;
  /** The node reads the accounts, which are locked. */
  read(rows: Rows): void;
  /** The node has the answer of its exchange, or knows that it was not written. */
  ended(isWritten: boolean): void;
}

type Values = readonly unknown[];

/**
 * The tables of the ledger in memory, behind the interface of a database: each statement waits until the test lets it
 * run, so that the test can do something else at every point of a transaction.
 */
export class LedgerTables {
  rows: Rows = { accounts: new Map(), leases: new Map(), nodes: new Map(), usage: new Map() };
  readonly workspaces = new Map<string, Terms>();
  /** Lets the statement run, or the commit; null if none waits. */
  waiting: { readonly isCommit: boolean; run(outcome: Outcome): void } | null = null;
  /** Whether the transaction in progress has locked accounts, so that no other node can change them. */
  isLocked = false;
  private unknown: { readonly isWritten: boolean } | null = null;

  constructor(
    private readonly now: () => number,
    private readonly watcher: Watcher,
  ) {}

  /** As the ledger uses it. */
  get database(): Database {
    return {
      transaction: <Result>(work: (sql: unknown) => Promise<Result>) => this.transaction(work),
      query: async ({ name }: Statement, values: Values) => this.queryAlone(name, values),
    } as unknown as Database;
  }

  /** Another node removes an expired session and returns its leases. */
  expire(session: number): void {
    const { nodes, leases, accounts } = this.rows;
    nodes.delete(session);
    for (const [workspace, account] of accounts) {
      const name = `${workspace} ${session}`;
      const lease = leases.get(name);
      if (lease !== undefined) accounts.set(workspace, { ...account, leased: account.leased - lease.amount });
      leases.delete(name);
    }
  }

  private async transaction<Result>(work: (sql: unknown) => Promise<Result>): Promise<Result> {
    // A transaction that finds the outcome of a commit belongs to the exchange before it.
    const { unknown } = this;
    if (unknown === null) this.watcher.begun();
    const rows = copyOf(this.rows);
    const send = async ({ name }: Statement, values: Values = []) => {
      await this.arrive(false);
      return this.run(rows, name, values);
    };
    try {
      const result = await work({
        query: async (each: Statement, values?: Values) => (await send(each, values)).rows,
        execute: async (each: Statement, values?: Values) => (await send(each, values)).count,
      });
      const outcome = await this.arrive(true);
      if (this.isLocked && outcome !== 'cut before') this.rows = rows;
      if (outcome !== 'answered') {
        this.unknown ??= { isWritten: outcome === 'cut after' };
        throw new CommitUnknown('The connection was lost.', 'closed');
      }
      this.unknown = null;
      this.watcher.ended(unknown?.isWritten ?? true);
      return result;
    } catch (error) {
      if (error instanceof DatabaseUnavailable && this.unknown === null) this.watcher.ended(false);
      throw error;
    } finally {
      this.isLocked = false;
    }
  }

  private arrive(isCommit: boolean): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const run = (outcome: Outcome) => {
        this.waiting = null;
        if (outcome === 'refused') reject(new DatabaseUnavailable('The database is away.', 'closed'));
        else resolve(outcome);
      };
      this.waiting = { isCommit, run };
    });
  }

  private queryAlone(name: string, [workspaces]: Values): object[] {
    if (name !== 'ledger-recalled') return [];
    return (workspaces as string[])
      .filter((workspace) => this.rows.accounts.get(workspace)?.exact)
      .map((workspace) => ({ workspace }));
  }

  private run(rows: Rows, name: string, values: Values): { rows: object[]; count: number } {
    const statement = STATEMENTS[name];
    if (statement === undefined) throw new Error(`the tables do not know the statement ${name}`);
    if (name === 'ledger-lock-accounts' && !this.isLocked) {
      this.isLocked = true;
      // What was committed since the transaction began.
      Object.assign(rows, copyOf(this.rows));
    }
    if (name === 'ledger-read-accounts') this.watcher.read(copyOf(rows));
    const result = statement(rows, values, { now: this.now(), workspaces: this.workspaces });
    return typeof result === 'number' ? { rows: [], count: result } : { rows: result, count: result.length };
  }
}

const copyOf = ({ accounts, leases, nodes, usage }: Rows): Rows => ({
  accounts: new Map(accounts),
  leases: new Map(leases),
  nodes: new Map(nodes),
  usage: new Map(usage),
});

type Run = (
  rows: Rows,
  values: Values,
  world: { readonly now: number; readonly workspaces: ReadonlyMap<string, Terms> },
) => object[] | number;

const flushedOf: Run = ({ nodes }, [session]) => {
  const flushed = nodes.get(session as number);
  return flushed === undefined ? [] : [{ flushed }];
};

const STATEMENTS: Readonly<Record<string, Run>> = {
  'session-fence': flushedOf,
  'ledger-read-number': flushedOf,
  'ledger-lock-accounts': ({ accounts }, [workspaces]) =>
    (workspaces as string[]).filter((id) => accounts.has(id)).map((workspace) => ({ workspace })),
  'ledger-add-accounts': ({ accounts }, [workspaces, month]) => {
    for (const id of workspaces as string[])
      if (!accounts.has(id))
        accounts.set(id, { charged: 0n, month: String(month), monthCharged: 0n, leased: 0n, exact: false });
    return 0;
  },
  'ledger-read-accounts': ({ accounts, leases }, [workspaces, session], world) =>
    (workspaces as string[]).map((workspace) => {
      const { charged, month, monthCharged, leased, exact } = accounts.get(workspace) as AccountRow;
      const { granted, budget } = world.workspaces.get(workspace) as Terms;
      const lease = leases.get(`${workspace} ${session}`)?.amount ?? 0n;
      const amounts = { charged, monthCharged, leased, granted, budget, lease };
      const texts = Object.entries(amounts).map(([name, amount]) => [name, amount?.toString() ?? null]);
      const othersHold = othersHoldUnused(leases, workspace, session as number);
      const times = { now: world.now, settled: world.now };
      return { workspace, month, exact, othersHold, ...times, ...Object.fromEntries(texts) };
    }),
  'ledger-charged-in-month': ({ usage }, [workspaces, first]) =>
    (workspaces as string[]).map((workspace) => {
      const amount = chargedIn(usage, workspace, String(first).slice(0, 7));
      return { workspace, amount: amount.toString() };
    }),
  'ledger-write-accounts': ({ accounts }, [workspaces, charged, month, monthCharged, leased, exact]) => {
    (workspaces as string[]).forEach((workspace, at) => {
      accounts.set(workspace, {
        charged: (charged as Amount[])[at] as Amount,
        month: (month as string[])[at] as string,
        monthCharged: (monthCharged as Amount[])[at] as Amount,
        leased: (leased as Amount[])[at] as Amount,
        exact: (exact as boolean[])[at] as boolean,
      });
    });
    return (workspaces as string[]).length;
  },
  'ledger-write-leases': ({ leases }, [session, workspaces, amounts, exact]) => {
    (workspaces as string[]).forEach((workspace, at) => {
      const amount = (amounts as Amount[])[at] as Amount;
      if (amount < 0n) throw new StatementError('The lease is negative.', '23514', 'amount_check');
      leases.set(`${workspace} ${session}`, { amount, exact: (exact as boolean[])[at] as boolean });
    });
    return (workspaces as string[]).length;
  },
  'ledger-delete-leases': ({ leases }, [session, workspaces]) =>
    (workspaces as string[]).filter((workspace) => leases.delete(`${workspace} ${session}`)).length,
  'ledger-write-usage': ({ usage }, [day, workspaces, , , , , , , amounts]) => {
    (workspaces as string[]).forEach((workspace, at) => {
      const name = `${workspace} ${day}`;
      usage.set(name, (usage.get(name) ?? 0n) + ((amounts as Amount[])[at] as Amount));
    });
    return (workspaces as string[]).length;
  },
  'ledger-number': ({ nodes }, [session, number]) => {
    if (nodes.get(session as number) !== (number as number) - 1) return 0;
    nodes.set(session as number, number as number);
    return 1;
  },
};

/** Whether a node other than `session` has a lease that is not exact. */
export const othersHoldUnused = (leases: Rows['leases'], workspace: string, session: number): boolean =>
  [...leases].some(
    ([name, { exact }]) => name.startsWith(`${workspace} `) && name !== `${workspace} ${session}` && !exact,
  );

/** What a workspace was charged in a month such as `2026-11`; without one, at all. */
export function chargedIn(usage: Rows['usage'], workspace: string, month = ''): Amount {
  let sum = 0n;
  for (const [name, amount] of usage) if (name.startsWith(`${workspace} ${month}`)) sum += amount;
  return sum;
}

/** An account as it is in the month of `now`. */
export function accountIn(rows: Rows, workspace: string, now: number): AccountRow {
  const month = monthOf(now);
  const none = { charged: 0n, month, monthCharged: 0n, leased: 0n, exact: false };
  const account = rows.accounts.get(workspace) ?? none;
  if (account.month === month) return account;
  return { ...account, month, monthCharged: chargedIn(rows.usage, workspace, month) };
}

export const callerOf = (id: string) =>
  ({ key: { id: `key_of_${id}` }, workspace: { id } }) as unknown as Caller;

export const chargeOf = (cost: Amount) =>
  ({ model: 'm', kind: 'live', inputTokens: Number(cost), price: 1n }) as const;
