import { join } from 'node:path';
import { auditEntry, commandActor } from '../../../access/index.js';
import { type Clock, StoreError, systemClock } from '../../../base/index.js';
import { DATA_FILE, notEmpty, requireNoStore } from '../../data-folder/data-folder.js';
import { addAuditEntry } from '../lmdb/audit-log.js';
import { checkHeaders } from '../lmdb/data-file.js';
import { createStore, isWhole, makeEnvironment } from '../lmdb/environment.js';
import { FORMAT } from '../lmdb/format.js';
import { Table } from '../lmdb/table.js';
import { type BackupFacts, readFacts, unpack } from './backup-file.js';

/**
 * Puts the content of a backup file into a data folder that has no store; the folder may hold master keys. A process
 * that ends at any moment leaves no store or the complete one, with an entry in its audit log. Throws StoreError if the
 * folder is in use, or if the backup is damaged or has a newer format.
 */
export function restore(folder: string, file: string, clock: Pick<Clock, 'now'> = systemClock): BackupFacts {
  const facts = readable(file);
  if (facts.format > FORMAT) {
    throw new StoreError(
      `${file} has format ${facts.format}, and this program supports ${FORMAT}: a newer version wrote it. Install that version.`,
    );
  }
  requireNoStore(folder);
  let placed = false;
  createStore(folder, (path) => {
    const data = join(path, DATA_FILE);
    unpack(file, data);
    checkHeaders(data);
    if (!isWhole(path))
      throw new StoreError(
        `The content of the backup ${file} is not complete: it was damaged before it was backed up. Use an older backup.`,
      );
    // Opens it, so that nothing takes its place that LMDB cannot read.
    makeEnvironment(path, ({ audit }) => {
      const after = { created: new Date(facts.created).toISOString() };
      const entry = auditEntry(clock.now(), commandActor(), { action: 'backup.restore', after });
      addAuditEntry(new Table('audit', audit), entry);
    });
    placed = true;
  });
  if (!placed) throw notEmpty(folder, 'another process has created a store in it');
  return facts;
}

function readable(file: string): BackupFacts {
  try {
    return readFacts(file);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError(`The backup ${file} cannot be read: ${(error as Error).message}.`);
  }
}
