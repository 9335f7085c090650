import type { Clock } from '../../../base/index.js';
import type { Store } from '../lmdb/store.js';
import type { CheckedEntry } from '../lmdb/table.js';
import type { RawWrite } from '../lmdb/writes.js';
import type { FolderAnswers } from './answers.js';
import type { FolderRetention } from './retention.js';

/** Entries that one transaction moves, after they were read in one turn of the event loop: about 2 ms. */
const MOVED_MAX = 64;

interface Parts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly kept: Pick<FolderAnswers, 'has' | 'moveUnwritten'>;
  /** Runs `work` after the changes of tasks so far, and before the next one. */
  afterOthers<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** A jump of the calendar. */
interface Jump {
  readonly ms: number;
  /** When this process began to write, by the calendar before the jump. */
  readonly since: number;
  /** By task: the number after the last answer on the disk that was made before the jump. */
  readonly ends: ReadonlyMap<string, number>;
}

/**
 * The times of answers and labels that this process has stored. They decide what is deleted. When the calendar jumps they
 * move with it, so that everything keeps its age; times of earlier processes keep their values.
 */
export class FolderTaskTimes {
  /** When this process began to write, by the calendar. */
  private since: number;

  constructor(private readonly parts: Parts) {
    this.since = parts.clock.now();
  }

  /**
   * Call it when the calendar has jumped by `ms`. Resolves when the times have moved. Rejects with StoreError.
   *
   * @param retention null: no answers have been kept
   */
  async move(ms: number, retention: Pick<FolderRetention, 'jumped'> | null): Promise<void> {
    const { kept, afterOthers } = this.parts;
    const jump = { ms, since: this.since, ends: kept.moveUnwritten(ms) };
    this.since += ms;
    await Promise.all([
      // Labels of calls so far have a time before the jump, those of later ones do not.
      afterOthers(() => this.moveLabels(jump)),
      retention?.jumped(() => this.moveAnswers(jump)),
    ]);
  }

  private async moveAnswers(jump: Jump): Promise<void> {
    for (const [id, end] of jump.ends) {
      let from: number | null = 0;
      while (from !== null) {
        const first: number = from;
        // An answer may get that of a shadow build meanwhile.
        from = await this.parts.afterOthers(() => this.movePart(id, first, end, jump));
      }
    }
  }

  /** No label may be stored meanwhile. */
  private async moveLabels(jump: Jump): Promise<void> {
    const { store } = this.parts;
    const table = store.table('task_labels');
    let writes: RawWrite[] = [];
    for await (const { key, value } of table.checkedInTurns()) {
      if (!isMoved(value, jump)) continue;
      writes.push(table.write(key, { ...value, at: value.at + jump.ms }));
      if (writes.length < MOVED_MAX) continue;
      await store.write(writes);
      writes = [];
    }
    await store.write(writes);
  }

  /** Returns the number with which the next part begins; null: there is none. */
  private async movePart(id: string, from: number, end: number, jump: Jump): Promise<number | null> {
    const { store, kept } = this.parts;
    const table = store.table('task_answers');
    const part: CheckedEntry<'task_answers'>[] = table
      .checkedPart([id], MOVED_MAX, from)
      .filter(({ key }) => (key[1] as number) < end);
    const writes = part.flatMap(({ key, value }) =>
      // One that has left the ring may still be on the disk.
      isMoved(value, jump) && kept.has({ id }, key[1] as number)
        ? [table.write(key, { ...value, at: value.at + jump.ms })]
        : [],
    );
    if (writes.length > 0) await store.write(writes);
    return part.length < MOVED_MAX ? null : (part.at(-1)?.key[1] as number) + 1;
  }
}

function isMoved<Row extends { readonly at: number }>(row: Row | null, { since }: Jump): row is Row {
  return row !== null && row.at >= since;
}
