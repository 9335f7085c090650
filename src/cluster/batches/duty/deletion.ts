import type { Database } from '../../../postgres/index.js';
import { forgetSubmissions, forgetTurns, markDeleted, removeBatch } from '../tables/due.js';

/**
 * Deletes a batch. Its data key goes first: without it, nothing of the batch can be decrypted, wherever a disk still has
 * it. A deletion that is interrupted is found again, because the batch itself goes last.
 */
export async function deleteBatch(database: Database, id: string): Promise<void> {
  const batch = await database.transaction((transaction) => markDeleted(transaction, id));
  if (batch !== undefined) await removeBatch(database, batch);
}

/** Removes what no batch needs any more. */
export async function forget(database: Database): Promise<void> {
  await forgetSubmissions(database);
  await forgetTurns(database);
}
