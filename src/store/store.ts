import { ThreadPool } from '../base/index.js';
import { StoreError } from './data-folder.js';
import { type Environment, openEnvironment } from './environment.js';
import { Table } from './table.js';
import { TABLE_NAMES, type TableName } from './tables.js';
import type { RawWrite } from './writer-thread.js';

/**
 * The tables of one data folder.
 *
 * Administration (`change`) happens in a transaction on this thread, from the command line or at the first start,
 * and raises a counter that every process sees at once. What the running server writes (`write`) goes to a thread of
 * its own, in transactions that are on the disk when they resolve. The two write different tables.
 */
export class Store {
  private readonly environment: Environment;
  private readonly tables: ReadonlyMap<TableName, Table<TableName>>;
  private writer: ThreadPool | null = null;
  private lastWrite: Promise<void> = Promise.resolve();
  private closed = false;

  /** See `openStore`, which also brings it to the format of this server. */
  constructor(readonly folder: string) {
    this.environment = openEnvironment(folder);
    const { databases } = this.environment;
    this.tables = new Map(TABLE_NAMES.map((name) => [name, new Table(name, databases[name])]));
  }

  table<Name extends TableName>(name: Name): Table<Name> {
    return this.tables.get(name) as unknown as Table<Name>;
  }

  /**
   * Runs `work` in a transaction: what it puts becomes visible at once, everywhere, or not at all if it throws. A
   * change inside another is part of that.
   * Throws StoreError where the disk does not take it.
   */
  change<Result>(work: () => Result): Result {
    let worked = false;
    try {
      return this.environment.root.transactionSync(() => {
        const result = work();
        const meta = this.table('meta');
        meta.put(['changes'], { changes: (meta.get('changes')?.changes ?? 0) + 1 });
        worked = true;
        return result;
      });
    } catch (error) {
      throw worked ? this.notTaken(error) : error;
    }
  }

  /** How often administration changed something, as any process sees it now. */
  changes(): number {
    this.refresh();
    return this.table('meta').get('changes')?.changes ?? 0;
  }

  /** What other processes have written is read from here on: without it, reads may be some milliseconds old. */
  refresh(): void {
    this.environment.root.resetReadTxn();
  }

  /** Starts the thread that `write` needs, so that the first write does not wait for it. */
  async startWriter(): Promise<void> {
    await this.writerThread().run('ready', null);
  }

  /**
   * All writes in one transaction, on the disk when it resolves; none where it rejects, with StoreError.
   * Transactions follow each other in the order of the calls, which the queue of the threads does not keep.
   */
  write(writes: readonly RawWrite[]): Promise<void> {
    if (this.closed) return Promise.reject(this.notTaken(new Error('it is closed')));
    const write = this.lastWrite.then(() => this.writeNext(writes));
    this.lastWrite = write.catch(() => {});
    return write;
  }

  private async writeNext(writes: readonly RawWrite[]): Promise<void> {
    try {
      await this.writerThread().run('write', writes);
    } catch (error) {
      throw this.notTaken(error);
    }
    this.refresh();
  }

  /** Ends the writes under way, then the environment; from now on `write` rejects. */
  async close(): Promise<void> {
    this.closed = true;
    await this.lastWrite;
    await this.writer?.close();
    await this.environment.root.close();
  }

  private writerThread(): ThreadPool {
    this.writer ??= new ThreadPool({
      file: new URL('./writer-thread.js', import.meta.url),
      threads: 1,
      data: this.folder,
    });
    return this.writer;
  }

  private notTaken(cause: unknown): StoreError {
    const { message } = cause as Error;
    return new StoreError(`The data folder ${this.folder} does not take what is written: ${message}.`);
  }
}
