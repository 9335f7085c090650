import {
  type AuditEntry,
  type AuditRecord,
  auditEntry,
  commandActor,
  isRecorded,
} from '../../../access/index.js';
import { entryFile, StoreError, ThreadPool } from '../../../base/index.js';
import { addAuditEntry } from './audit-log.js';
import {
  allocateFor,
  bytesIn,
  closeEnvironment,
  type Environment,
  entriesIn,
  extentBytes,
  openEnvironment,
} from './environment.js';
import { Table } from './table.js';
import { TABLE_NAMES, TABLES, type TableName } from './tables.js';
import type { RawWrite, WriterTask } from './writes.js';

/**
 * The tables of one data folder.
 *
 * Administration (`change`) runs a transaction on this thread, and increments a counter that every process sees at once: on
 * the command line, at the first start, and in a thread of the server for the operator's interface, because it waits for
 * the disk. The running server writes through another thread (`write`), in transactions that are on the disk when the
 * promise resolves. Most tables are written in one of both ways; `TABLES` names those that are written in both.
 */
export class Store {
  private readonly environment: Environment;
  private readonly tables: ReadonlyMap<TableName, Table<TableName>>;
  private writer: ThreadPool | null = null;
  private lastWrite: Promise<void> = Promise.resolve();
  private closing: Promise<void> | null = null;
  private changing = false;
  private actor = commandActor();
  private onCommit: () => (done: boolean) => void = () => () => {};
  private checkFormat = () => {};

  /** Use `openStore`, which also checks the format. `mustBeComplete`: see `openEnvironment`. */
  constructor(
    readonly folder: string,
    mustBeComplete = false,
  ) {
    this.environment = openEnvironment(folder, mustBeComplete);
    const { databases } = this.environment;
    this.tables = new Map(TABLE_NAMES.map((name) => [name, new Table(name, databases[name])]));
  }

  table<Name extends TableName>(name: Name): Table<Name> {
    return this.tables.get(name) as unknown as Table<Name>;
  }

  /**
   * Runs `work` in a transaction: what it puts becomes visible to every process at once, or not at all if it throws. A
   * nested change is part of the outer one. `bytes`: the length of the values, if there are more than a few. Throws
   * StoreError if the disk refuses the commit, or the folder no longer has the format that it was opened with.
   */
  change<Result>(work: () => Result, bytes = 0): Result {
    // Not again in a nested change: LMDB may have written pages of this transaction after the last committed one.
    const isOutermost = !this.changing;
    let atWork = false;
    try {
      return this.environment.lock.hold(() =>
        this.environment.root.transactionSync(() => {
          if (isOutermost) allocateFor(this.environment, [bytes]);
          this.changing = true;
          atWork = true;
          if (isOutermost) this.checkFormat();
          const result = work();
          const meta = this.table('meta');
          meta.put(['changes'], { changes: (meta.get('changes')?.changes ?? 0) + 1 });
          atWork = false;
          return result;
        }),
      );
    } catch (error) {
      throw atWork ? error : this.notTaken(error);
    } finally {
      if (isOutermost) this.changing = false;
    }
  }

  /**
   * `check` is called at the beginning of every transaction of `change`: another process may upgrade the folder while this one
   * has it open, or waits for the lock.
   */
  beginChanges(check: () => void): void {
    this.checkFormat = check;
  }

  /**
   * Allocates space for `bytes` bytes of values, for a change that learns their length only when it runs. Inside `change`
   * only, before the first write. Throws StoreError if the disk has no room.
   */
  reserve(bytes: number): void {
    try {
      allocateFor(this.environment, [bytes]);
    } catch (error) {
      throw this.notTaken(error);
    }
  }

  /** The bytes of the data file up to its last used page, without those of a transaction in progress. */
  extentBytes(): number {
    return extentBytes(this.environment);
  }

  /** Runs `work`, which is synchronous: the actor of its changes is not the user of the command line but this one. */
  as<Result>(actor: string, work: () => Result): Result {
    const before = this.actor;
    this.actor = actor;
    try {
      return work();
    } finally {
      this.actor = before;
    }
  }

  /**
   * Adds an entry to the audit log, unless all fields that a record has `before` stay as they are. Inside `change` only,
   * together with what it changes.
   */
  audit(at: number, record: AuditRecord): void {
    const entry = auditEntry(at, this.actor, record);
    if (isRecorded(record, entry)) addAuditEntry(this.table('audit'), entry);
  }

  /** The number of administrative changes so far, by any process. */
  changes(): number {
    this.refresh();
    return this.table('meta').get('changes')?.changes ?? 0;
  }

  /** The bytes of all pages that the tables of a room have in the data file. */
  bytesOf(owner: (typeof TABLES)[TableName]['owner']): number {
    this.refresh();
    const names = TABLE_NAMES.filter((name) => TABLES[name].owner === owner);
    return names.reduce((sum, name) => sum + bytesIn(this.environment.databases[name]), 0);
  }

  /** How many entries a table has. */
  entriesOf(name: TableName): number {
    return entriesIn(this.environment.databases[name]);
  }

  /** Whether a table has entries, besides `meta`. */
  hasData(): boolean {
    return TABLE_NAMES.some((name) => name !== 'meta' && entriesIn(this.environment.databases[name]) > 0);
  }

  /** Makes later reads see what other processes have written. Without it they may be a few milliseconds old. */
  refresh(): void {
    this.environment.root.resetReadTxn();
  }

  /** Writes a compacted copy of the data file into an existing folder: what was committed when it began. Rejects with Error. */
  copyTo(folder: string): Promise<void> {
    return this.environment.root.backup(folder, true);
  }

  /** Starts the writer thread, so that the first write does not wait for it. */
  async startWriter(): Promise<void> {
    await this.writerThread().run('ready', null);
  }

  /**
   * Commits all writes in one transaction. Resolves when they are on the disk; rejects with StoreError if none of them
   * is. Transactions run in the order of the calls, which the thread pool's queue would not preserve.
   *
   * @param entries of the audit log, written in the same transaction
   */
  write(writes: readonly RawWrite[], entries: readonly AuditEntry[] = []): Promise<void> {
    if (this.closing !== null) return Promise.reject(this.notTaken(new Error('it is closed')));
    const write = this.lastWrite.then(() => this.writeNext({ writes, entries }));
    this.lastWrite = write.catch(() => {});
    return write;
  }

  /** `begin` is called when a transaction of `write` starts, and what it returns when it is on the disk or has failed. */
  watchCommits(begin: () => (done: boolean) => void): void {
    this.onCommit = begin;
  }

  /** Resolves if the data file can be written. Changes nothing. Rejects with StoreError. */
  probe(): Promise<void> {
    // Every transaction begins with a write at the end of the file; see `allocate`.
    return this.write([]);
  }

  private async writeNext(task: WriterTask): Promise<void> {
    const ended = this.onCommit();
    try {
      await this.writerThread().run('write', task);
      ended(true);
    } catch (error) {
      ended(false);
      throw this.notTaken(error);
    }
    this.refresh();
  }

  /** Waits for the writes in progress and closes the environment. From now on `write` rejects. */
  close(): Promise<void> {
    this.closing ??= this.closeAll();
    return this.closing;
  }

  /** Closes the environment before it returns. Only for a store that `write` has never been called on. */
  closeUnwritten(): void {
    void closeEnvironment(this.environment);
  }

  private async closeAll(): Promise<void> {
    await this.lastWrite;
    await this.writer?.close();
    await closeEnvironment(this.environment);
  }

  private writerThread(): ThreadPool {
    this.writer ??= new ThreadPool({
      file: entryFile('storage/folder/lmdb/writer-thread'),
      threads: 1,
      data: this.folder,
    });
    return this.writer;
  }

  private notTaken(cause: unknown): StoreError {
    const { message } = cause as Error;
    return new StoreError(`The data folder ${this.folder} cannot be written: ${message}.`);
  }
}
