import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createOwnFile } from '../base/index.js';
import { StoreError } from './data-folder.js';
import { KEY_BYTES } from './sealing.js';

export const MASTER_KEY_FILE = 'master.key';

/**
 * The key that encrypts all data keys: `given` (64 hexadecimal digits) unless that is empty, else the folder's
 * `master.key`. If `mayCreate`, a missing file is created, readable by its owner only. Throws StoreError.
 */
export function masterKey(folder: string, given: string, mayCreate: boolean): Buffer {
  if (given !== '') return parse(given, 'DECIDER_MASTER_KEY');
  const file = join(folder, MASTER_KEY_FILE);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) {
    if (!mayCreate) {
      throw new StoreError(
        `${file} is missing. Without it the encrypted data in ${folder} cannot be read: restore it from a backup.`,
      );
    }
    return create(file);
  }
  if ((found.mode & 0o077) !== 0) {
    throw new StoreError(`${file} is accessible to other users. Change its mode to 0600.`);
  }
  return parse(read(file).trim(), file);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StoreError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}

/** The file appears complete, and is on the disk before anything is encrypted with the key. */
function create(file: string): Buffer {
  const key = randomBytes(KEY_BYTES);
  try {
    createOwnFile(file, `${key.toString('hex')}\n`);
  } catch (error) {
    throw new StoreError(`${file} cannot be written: ${(error as Error).message}.`);
  }
  return key;
}

function parse(text: string, source: string): Buffer {
  if (!/^[0-9a-fA-F]{64}$/.test(text)) throw new StoreError(`${source} is not 64 hexadecimal digits.`);
  return Buffer.from(text, 'hex');
}
