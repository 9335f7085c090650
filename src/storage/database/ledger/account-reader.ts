import { nextTurn } from '../../../base/index.js';
import type { Queryable } from '../postgres/statement.js';
import type { KnownAccount } from './exchange.js';
import { readAccounts } from './money-rows.js';

type Accounts = ReadonlyMap<string, KnownAccount>;

/** Reads accounts. Reads that begin in the same turn of the event loop share one statement. */
export class AccountReader {
  private requested = new Set<string>();
  private reading: Promise<Accounts> | null = null;

  constructor(private readonly database: Queryable) {}

  /** The account of a workspace, as written; undefined if it was never charged. Throws DatabaseUnavailable. */
  async read(workspace: string): Promise<KnownAccount | undefined> {
    this.requested.add(workspace);
    this.reading ??= nextTurn().then(() => this.readRequested());
    return (await this.reading).get(workspace);
  }

  private readRequested(): Promise<Accounts> {
    const { requested } = this;
    this.requested = new Set();
    this.reading = null;
    return readAccounts(this.database, [...requested]);
  }
}
