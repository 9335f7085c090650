import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../base/index.js';
import { addAuditEntry, auditEntry, commandActor } from './audit.js';
import { type BackupFacts, readFacts, unpack } from './backup-file.js';
import { checkHeaders } from './data-file.js';
import { DATA_FILE, STORE_FOLDER, StoreError } from './data-folder.js';
import { createStore, makeEnvironment } from './environment.js';
import { FORMAT } from './format.js';
import { storeExists } from './make-store.js';
import { MASTER_KEY_FILE } from './master-key.js';
import { Table } from './table.js';

/** What a data folder may contain before a restore: files beside the store, and what an interrupted one left. */
const MAY_CONTAIN = new RegExp(
  `^(${STORE_FOLDER}|${MASTER_KEY_FILE}(\\..+)?|operator\\.token|in-flight(\\.abort)?|lost\\+found)$`,
);

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
  requireEmpty(folder);
  let placed = false;
  createStore(folder, (path) => {
    const data = join(path, DATA_FILE);
    unpack(file, data);
    checkHeaders(data);
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

function requireEmpty(folder: string): void {
  if (storeExists(folder)) throw notEmpty(folder, 'it has a store');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const other = names.find((name) => !MAY_CONTAIN.test(name));
  if (other !== undefined) throw notEmpty(folder, `it contains ${other}`);
}

const notEmpty = (folder: string, why: string): StoreError =>
  new StoreError(
    `The data folder ${folder} is not empty: ${why}. Move its content away, or name another folder (data, DECIDER_DATA).`,
  );
