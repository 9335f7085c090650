import { nextTurn } from '../../base/index.js';
import type { Queryable } from '../../postgres/index.js';
import type { KnownAccount } from './exchange.js';
import { readAccounts } from './money-rows.js';

type Accounts = ReadonlyMap<string, KnownAccount>;

/** Reads accounts: all those that are asked for in one turn of the event loop with one statement. */
export class AccountReader {
  private asked = new Set<string>();
  private reading: Promise<Accounts> | null = null;

  constructor(private readonly database: Queryable) {}

  /** The account of a workspace, as written; undefined if it was never charged. Throws DatabaseUnavailable. */
  async read(workspace: string): Promise<KnownAccount | undefined> {
    this.asked.add(workspace);
    this.reading ??= nextTurn().then(() => this.readAsked());
    return (await this.reading).get(workspace);
  }

  private readAsked(): Promise<Accounts> {
    const { asked } = this;
    this.asked = new Set();
    this.reading = null;
    return readAccounts(this.database, [...asked]);
  }
}
