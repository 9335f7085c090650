import { FairQueue, type Owner } from '../../../../base/index.js';
import {
  type Batch,
  type BatchTerms,
  type ChunkAnswer,
  type ChunkSource,
  type ChunkTask,
  type ListAnswer,
  listAnswer,
  PIECE_BYTES,
  type ResultPlace,
  type ResultsAnswer,
} from '../../../../batch/index.js';
import type { Queryable } from '../../postgres/statement.js';
import { listBatches } from '../tables/batch-table.js';
import { chunkIds, chunkLines, resultsBetween, dataKey as storedKey } from '../tables/values.js';
import type { OpenAnswer, OpenCall, OpenTask } from './open-values.js';

/** Batches of one piece of a list. */
const LISTED_MAX = 128;
/** Pieces that callers read at a time. Waiting ones are bounded by the number of requests that HTTP admits. */
const AT_ONCE = { key: 1, workspace: 2, all: 4 };
const UNBOUNDED = { key: Infinity, workspace: Infinity, all: Infinity };

/** Reads stored batches. Another thread decrypts the values that it reads from the database. */
export class DatabaseReader implements ChunkSource {
  private readonly callers = new FairQueue(AT_ONCE, UNBOUNDED);

  /** `run`: calls `openValues` on the opening thread. */
  constructor(
    private readonly sql: Queryable,
    private readonly run: (call: OpenCall) => Promise<unknown>,
  ) {}

  async chunk(task: ChunkTask): Promise<ChunkAnswer> {
    const { batch, chunk } = task;
    const stored = await chunkLines(this.sql, batch.id, chunk);
    if (stored === undefined)
      return { ok: false, message: `Chunk ${chunk} of the batch ${batch.id} is missing.` };
    return this.open('chunk', { task, stored });
  }

  /** The next piece of the results of a finished batch. Undefined: the batch has been deleted. */
  results(
    owner: Owner,
    batch: Batch,
    dataKey: Uint8Array,
    from: ResultPlace,
  ): Promise<ResultsAnswer | undefined> {
    return this.callers.run(owner, async () => {
      const ids = await chunkIds(this.sql, batch.id, from.chunk);
      if (ids === undefined) return undefined;
      const range = { from: ids.first + from.line, to: ids.first + ids.lines, bytes: PIECE_BYTES };
      const results = await resultsBetween(this.sql, batch.id, range);
      // A deletion removes the data key first: if it still exists, the results above are complete.
      if ((await storedKey(this.sql, batch.id)) === undefined) return undefined;
      return this.open('results', { task: { batch, dataKey, from }, ids: ids.sealed, results });
    });
  }

  /** Part of the list of a key's batches. See `listPieces`. */
  list(owner: Owner, from: number, count: number | null, terms: BatchTerms): Promise<ListAnswer> {
    return this.callers.run(owner, async () => {
      const most = Math.min(count ?? LISTED_MAX, LISTED_MAX);
      // One more, with which the next part begins.
      return listAnswer(await listBatches(this.sql, owner.key, from, most + 1), most, terms);
    });
  }

  private open<Name extends OpenCall['name']>(name: Name, task: OpenTask<Name>): Promise<OpenAnswer<Name>> {
    return this.run({ name, task }) as Promise<OpenAnswer<Name>>;
  }
}
