import { budgetMonths, type Caller, type Pause, pauseOf, refuse } from '../../../access/index.js';
import { ApiError, LIMITS } from '../../../api/index.js';
import {
  type Batch,
  type BatchReports,
  type BatchStore,
  type Draft,
  type Idempotency,
  mayBeStored,
  storedOf,
  tooManyBatches,
} from '../../../batch/index.js';
import { type MonthRow, monthCharges } from '../ledger/month-charges.js';
import { NOW_MS, SETTLED_MS } from '../postgres/calendar-sql.js';
import { certainTransaction } from '../postgres/certain.js';
import type { Database, Transaction } from '../postgres/database.js';
import { type Queryable, statement } from '../postgres/statement.js';
import type { DataKeys } from './data-keys.js';
import type { DatabaseStoredBytes } from './stored-bytes.js';
import { findBatch, insertBatch } from './tables/batch-table.js';
import {
  countOpen,
  findSubmission,
  lockSubmissions,
  putSubmission,
  setNextNumber,
} from './tables/submissions.js';
import { insertChunk, insertDataKey, insertWebhook } from './tables/values.js';
import { orCannotStore, orUnknown } from './unavailable.js';

interface Parts {
  readonly database: Database;
  readonly keys: DataKeys;
  readonly storage: DatabaseStoredBytes;
  readonly reports: Pick<BatchReports, 'error'>;
  /** Called when a batch has been stored, so that its chunks can be claimed. */
  onStored(batch: Batch): void;
}

/** Stores new batches in the database. The batches of one key are stored one after the other, on all nodes together. */
export class DatabaseBatchStore implements BatchStore {
  private readonly beingStored = new Set<readonly string[]>();

  constructor(private readonly parts: Parts) {}

  /** The models and builds of the batches that are being stored. */
  get modelsBeingStored(): string[] {
    return [...this.beingStored].flat();
  }

  async checkRoom({ key, workspace }: Caller): Promise<void> {
    const { database, storage } = this.parts;
    await this.orCannotStore(async () => {
      // The ledger of this node may lack charges of other nodes.
      refuse(await storedPause(database, workspace.id));
      if ((await countOpen(database, key.id)) >= LIMITS.batchesOpen) throw tooManyBatches();
      await storage.requireRoom(workspace.id, 1);
    });
  }

  find(key: string, idempotency: Idempotency): Promise<string | undefined> {
    return this.orCannotStore(() => findSubmission(this.parts.database, key, idempotency));
  }

  async create(draft: Draft): Promise<Batch | string> {
    const { storage, reports } = this.parts;
    const { id, file, idempotency } = draft.contents;
    const mayBe = () => mayBeStored(id, idempotency !== null);
    const models = file.models.map(({ model }) => model);
    this.beingStored.add(models);
    try {
      const stored = await orUnknown(reports, id, mayBe, async () => {
        draft.checkCurrent();
        const { lines, other } = storedOf(file.chunks);
        await storage.requireRoom(draft.contents.caller.workspace.id, lines + other);
        return this.storeCertainly(draft);
      });
      if (typeof stored !== 'string') {
        storage.add(stored);
        this.parts.onStored(stored);
      }
      return stored;
    } finally {
      this.beingStored.delete(models);
    }
  }

  private storeCertainly(draft: Draft): Promise<Batch | string> {
    const { id, caller } = draft.contents;
    return certainTransaction<Batch | string>(
      this.parts.database,
      (transaction) => this.store(transaction, draft),
      async (transaction, stored) => {
        // An earlier batch was stored by another transaction.
        if (typeof stored === 'string') return stored;
        await lockSubmissions(transaction, caller.key.id);
        return (await findBatch(transaction, id)) === undefined ? null : stored;
      },
    );
  }

  private async store(sql: Transaction, draft: Draft): Promise<Batch | string> {
    const { id, caller, dataKey, file, webhook, idempotency } = draft.contents;
    const key = await lockSubmissions(sql, caller.key.id);
    if (key?.works !== true) throw new ApiError('unauthorized', 'The key no longer works.');
    if (idempotency !== null) {
      const made = await findSubmission(sql, caller.key.id, idempotency);
      if (made !== undefined) return made;
    }
    if (key.open >= LIMITS.batchesOpen) throw tooManyBatches();
    const batch = draft.batch(key.number, key.now);
    await setNextNumber(sql, batch.key, batch.number + 1);
    await insertBatch(sql, batch);
    await insertDataKey(sql, id, this.parts.keys.seal(id, dataKey));
    let first = 0;
    for (const [chunk, { lines, ids, count }] of file.chunks.entries()) {
      await insertChunk(sql, id, chunk, { lines, ids, first, count });
      first += count;
    }
    if (webhook !== null) await insertWebhook(sql, id, webhook);
    if (idempotency !== null) await putSubmission(sql, batch.key, idempotency, id, key.now);
    return batch;
  }

  private orCannotStore<Result>(work: () => Promise<Result>): Promise<Result> {
    return orCannotStore(this.parts.reports, work);
  }
}

const FUNDS = statement(
  'batch-pause',
  `SELECT id AS workspace, granted, budget, coalesce(charged, 0) AS charged, month,
     coalesce(month_charged, 0) AS "monthCharged", (SELECT ${NOW_MS}) AS now, (SELECT ${SETTLED_MS}) AS settled
   FROM workspaces LEFT JOIN accounts ON accounts.workspace = id WHERE id = $1`,
);

interface FundsRow extends MonthRow {
  readonly granted: string;
  readonly budget: string | null;
  readonly charged: string;
  readonly now: number;
  readonly settled: number;
}

/** Why a workspace is paused, by what all nodes have charged and written; null if it is not. */
export async function storedPause(sql: Queryable, workspace: string): Promise<Pause | null> {
  const [row] = await sql.query<FundsRow>(FUNDS, [workspace]);
  if (row === undefined) return null;
  const { granted, budget, charged, now, settled } = row;
  const charges = await monthCharges(sql, [row], budgetMonths(now, settled));
  return pauseOf(
    { granted: BigInt(granted), budget: budget === null ? null : BigInt(budget) },
    { charged: BigInt(charged), budgetCharged: charges(row).budgetCharged },
  );
}
