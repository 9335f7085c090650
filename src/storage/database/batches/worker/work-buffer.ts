import {
  type Batch,
  type BatchTasks,
  type BatchWork,
  entryBytes,
  type LineAnswer,
  type LineResult,
} from '../../../../batch/index.js';
import type { TakenChanges } from '../../ledger/part.js';
import type { Transaction } from '../../postgres/database.js';
import { StatementError } from '../../postgres/database-errors.js';
import {
  type AddedCounts,
  addCounts,
  type EndedChunk,
  endChunks,
  insertResults,
  NotClaimed,
  type WrittenResult,
} from '../tables/work.js';

interface Parts {
  /** The session whose claims the results belong to. */
  readonly node: number;
  /** The ledger, whose transactions the changes join. */
  readonly ledger: { changed(): void; flush(): Promise<void> };
  /** Called when the database has refused changes of these batches. The session ends. */
  onRefused(batches: Iterable<string>): void;
  /** Called when chunks of these batches have been given back. */
  onEnded(batches: readonly string[]): void;
  readonly tasks: Pick<BatchTasks, 'keep'>;
}

/** What has not been written. */
interface Changes {
  readonly results: readonly WrittenResult[];
  readonly counts: ReadonlyMap<string, AddedCounts>;
  readonly ended: readonly EndedChunk[];
  /** Answers to tasks, which are kept when the results are written: others may be written in their place. */
  readonly kept: readonly LineAnswer[];
}

const NONE: Changes = { results: [], counts: new Map(), ended: [], kept: [] };

/**
 * Collects the results of a session's lines until the ledger writes them with their charges in its next transaction, so
 * that a line has either a result and a charge, or neither.
 */
export class DatabaseWorkBuffer implements BatchWork {
  private results: WrittenResult[] = [];
  private counts = new Map<string, AddedCounts>();
  private ended: EndedChunk[] = [];
  private kept: LineAnswer[] = [];
  /** The chunks that are being given back, which the database may still show as claimed. */
  private readonly ending = new Set<string>();

  constructor(private readonly parts: Parts) {}

  putResult({ id: batch }: Batch, { line, chunk, answered, sealed, kept }: LineResult): void {
    this.results.push({ batch, chunk, line, sealed });
    if (kept !== null) this.kept.push(kept);
    const [done, failed] = answered ? [1, 0] : [0, 1];
    this.add({ batch, done, failed, stored: entryBytes(sealed.length), started: false });
    this.parts.ledger.changed();
  }

  /** Call it when a line of a batch has started. */
  started(batch: string): void {
    this.add({ batch, done: 0, failed: 0, stored: 0, started: true });
    this.parts.ledger.changed();
  }

  /** Gives a chunk back, after the results put so far. */
  end(chunk: EndedChunk): void {
    this.ended.push(chunk);
    this.ending.add(nameOf(chunk));
    this.parts.ledger.changed();
  }

  /** Whether a chunk is being given back. */
  isEnding(chunk: Omit<EndedChunk, 'settled'>): boolean {
    return this.ending.has(nameOf(chunk));
  }

  flush(): Promise<void> {
    return this.parts.ledger.flush();
  }

  /** Takes what the next transaction of the ledger must write; null if there is nothing. */
  take(): TakenChanges | null {
    const { results, counts, ended, kept } = this;
    const taken: Changes = { results, counts, ended, kept };
    this.set(NONE);
    if (taken.counts.size === 0 && taken.ended.length === 0) return null;
    return {
      write: (transaction) => this.write(transaction, taken),
      written: () => {
        for (const answer of taken.kept) this.parts.tasks.keep(answer);
        for (const chunk of taken.ended) this.ending.delete(nameOf(chunk));
        this.parts.onEnded([...new Set(taken.ended.map(({ batch }) => batch))]);
      },
      lost: () => this.putBack(taken),
    };
  }

  /**
   * If the database rejects the changes, every further attempt would fail too, and no charge of the node could be written.
   * Then the session ends, and the lines run again, on this node after a pause.
   */
  private async write(sql: Transaction, { results, counts, ended }: Changes): Promise<void> {
    const { node, onRefused } = this.parts;
    try {
      await insertResults(sql, node, results);
      if (counts.size > 0) await addCounts(sql, [...counts.values()]);
      if (ended.length > 0) await endChunks(sql, node, ended);
    } catch (error) {
      if (error instanceof NotClaimed || error instanceof StatementError)
        onRefused(new Set([...counts.keys(), ...ended.map(({ batch }) => batch)]));
      throw error;
    }
  }

  /** The taken changes come before those that were made since. */
  private putBack(taken: Changes): void {
    const { results, counts, ended, kept } = this;
    this.set(taken);
    this.results.push(...results);
    for (const each of counts.values()) this.add(each);
    this.ended.push(...ended);
    this.kept.push(...kept);
    this.parts.ledger.changed();
  }

  private set({ results, counts, ended, kept }: Changes): void {
    this.results = [...results];
    this.counts = new Map(counts);
    this.ended = [...ended];
    this.kept = [...kept];
  }

  private add(added: AddedCounts): void {
    const known = this.counts.get(added.batch);
    this.counts.set(added.batch, known === undefined ? added : sum(known, added));
  }
}

const sum = (one: AddedCounts, other: AddedCounts): AddedCounts => ({
  batch: one.batch,
  done: one.done + other.done,
  failed: one.failed + other.failed,
  stored: one.stored + other.stored,
  started: one.started || other.started,
});

const nameOf = ({ batch, chunk }: Omit<EndedChunk, 'settled'>): string => `${batch} ${chunk}`;
