import { isBatchId } from '../api/index.js';
import type { AuditRecord } from './audit.js';
import type { Change, StoredBatch } from './change.js';
import { AccessError } from './workspaces.js';

/** A batch that was erased; its state before. */
type ErasedBatch = Omit<StoredBatch, 'deleted'>;

/** A cancel by the operator, for the audit log. The storage of batches cancels, and writes it in the same transaction. */
export const cancelRecord = ({
  id,
  workspace,
  key,
}: Pick<StoredBatch, 'id' | 'workspace' | 'key'>): AuditRecord => ({
  action: 'batch.cancel',
  workspace,
  key,
  after: { batch: id },
});

/** The changes of batches. */
export const BATCH_CHANGES = {
  /**
   * Erases a batch before its time, in any state: its data key, without which nothing of it can be read, is deleted in
   * the same transaction. Lines in progress are still charged; no further one starts.
   */
  eraseBatch: (id: string): Change<ErasedBatch> => ({
    // No id of a batch: nothing is stored under it.
    ...(isBatchId(id) && { batch: id }),
    decide({ batch }) {
      if (batch === undefined || batch.deleted)
        throw new AccessError('batch', `${id} does not exist, or was deleted.`, 'not_found');
      const { workspace, key, state } = batch;
      return {
        result: { id, workspace, key, state },
        erased: id,
        record: { action: 'batch.erase', workspace, key, after: { batch: id, state } },
      };
    },
  }),
};
