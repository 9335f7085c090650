import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createOwnFile, foreignOwner, StoreError } from '../base/index.js';
import { KEY_BYTES } from './sealing.js';

export const MASTER_KEY_FILE = 'master.key';
/**
 * The new key while the master key is being changed: a file, or, if the key is configured, a link to the file with the
 * new one, which stays until the new one is configured.
 */
export const NEXT_KEY_FILE = 'master.key.next';

/** The form of a key in settings and files. */
export const MASTER_KEY = { pattern: /^[0-9a-fA-F]{64}$/, form: '64 hexadecimal digits' } as const;

/**
 * The key that encrypts all data keys: `given` (64 hexadecimal digits) unless that is empty, else the folder's
 * `master.key`. If `mayCreate`, a missing file is created, readable by its owner only. Throws StoreError.
 */
export function masterKey(folder: string, given: string, mayCreate: boolean): Buffer {
  if (given !== '') return readMasterKey(given);
  const file = join(folder, MASTER_KEY_FILE);
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return readKeyFile(file);
  if (mayCreate) return createKeyFile(file);
  throw new StoreError(
    `${file} is missing. Without it the encrypted data in ${folder} cannot be read: restore it from a backup.`,
  );
}

/** Reads the configured key, 64 hexadecimal digits. Throws StoreError. */
export const readMasterKey = (given: string): Buffer => parse(given, 'master_key');

/**
 * Reads a key of 64 hexadecimal digits from a file that only its owner may access, and that has no foreign owner. Throws
 * StoreError.
 */
export function readKeyFile(file: string): Buffer {
  try {
    if ((statSync(file).mode & 0o077) !== 0) {
      throw new StoreError(`${file} is accessible to other users. Change its mode to 0600.`);
    }
    const owner = foreignOwner(file);
    if (owner !== null) {
      throw new StoreError(
        `${file} belongs to user ${owner}, who may know the key. Change its owner to the user of the server.`,
      );
    }
    return parse(readFileSync(file, 'utf8').trim(), file);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}

/**
 * Writes a key, by default a new one, to a file. The file appears complete, and is on the disk before anything is
 * encrypted with the key. Throws StoreError.
 */
export function createKeyFile(file: string, key: Buffer = randomBytes(KEY_BYTES)): Buffer {
  try {
    createOwnFile(file, `${key.toString('hex')}\n`);
  } catch (error) {
    throw new StoreError(`${file} cannot be written: ${(error as Error).message}.`);
  }
  return key;
}

function parse(text: string, source: string): Buffer {
  if (!MASTER_KEY.pattern.test(text)) throw new StoreError(`${source} is not ${MASTER_KEY.form}.`);
  return Buffer.from(text, 'hex');
}
