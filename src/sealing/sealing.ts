import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { StoreError } from '../base/index.js';
import { encodeKey, type KeyLayout, type KeyPart } from './key-layout.js';

/**
 * The tables with sealed values, and the parts of their keys. A sealed value is bound to its table and key, so neither may
 * change. `meta` has the check of the master key, `tasks`, `task_answers` and `task_labels` sealed values in rows that
 * are not.
 */
export const SEALED_PLACES = {
  meta: [['name', 'text']],
  batch_lines: [
    ['batch', 'text'],
    ['chunk', 'number'],
  ],
  batch_ids: [
    ['batch', 'text'],
    ['chunk', 'number'],
  ],
  batch_results: [
    ['batch', 'text'],
    ['line', 'number'],
  ],
  batch_webhooks: [['batch', 'text']],
  tasks: [
    ['workspace', 'text'],
    ['name', 'text'],
  ],
  // Rows of two tables, by the digest of what names the answer.
  task_answers: [
    ['task', 'text'],
    ['ref', 'text'],
  ],
  task_fits: [
    ['task', 'text'],
    ['build', 'text'],
  ],
  task_labels: [
    ['task', 'text'],
    ['ref', 'text'],
  ],
  task_monitors: [
    ['task', 'text'],
    ['build', 'text'],
  ],
  task_shadows: [['task', 'text']],
  task_versions: [
    ['task', 'text'],
    ['version', 'number'],
  ],
  data_keys: [['owner', 'text']],
} as const satisfies Record<string, KeyLayout>;

/** AES-256-GCM (NIST SP 800-38D). Layout: a random nonce of 96 bits, the ciphertext, a tag of 128 bits. */
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const KEY_BYTES = 32;

/** Where a sealed value is stored. The place is its associated data: elsewhere the value cannot be decrypted. */
export interface Place {
  readonly table: string;
  readonly key: Uint8Array;
  /** The key as a string, for error messages. */
  readonly name: string;
}

/** The place of a value. Needs no open environment: the threads that seal have none. */
export function placeOf(table: keyof typeof SEALED_PLACES, ...parts: readonly KeyPart[]): Place {
  return { table, key: encodeKey(SEALED_PLACES[table], parts), name: parts.join('/') };
}

/** Encrypts `plain` with a key of 32 bytes, for one place. */
export function seal(key: Uint8Array, place: Place, plain: Uint8Array): Buffer {
  const sealed = Buffer.allocUnsafe(sealedBytes(plain));
  sealInto(sealed, key, place, plain);
  return sealed;
}

/** The sealed length of `plain`. */
export const sealedBytes = (plain: Uint8Array): number => NONCE_BYTES + plain.length + TAG_BYTES;

/** Like `seal`, into a buffer of `sealedBytes(plain)` bytes. */
export function sealInto(sealed: Uint8Array, key: Uint8Array, place: Place, plain: Uint8Array): void {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(place));
  sealed.set(nonce);
  sealed.set(cipher.update(plain), NONCE_BYTES);
  cipher.final();
  sealed.set(cipher.getAuthTag(), sealed.length - TAG_BYTES);
}

/** Decrypts what `seal` returned. Throws StoreError if the key, the place or any bit of the value differs. */
export function unseal(key: Uint8Array, place: Place, sealed: Uint8Array): Buffer {
  try {
    const tagAt = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(associatedData(place));
    decipher.setAuthTag(sealed.subarray(tagAt));
    const plain = decipher.update(sealed.subarray(NONCE_BYTES, tagAt));
    // Checks the tag; returns no bytes.
    decipher.final();
    return plain;
  } catch {
    throw new StoreError(
      `The sealed value ${place.name} of the table ${place.table} is damaged, or was encrypted with another key.`,
    );
  }
}

const associatedData = ({ table, key }: Place) => Buffer.concat([Buffer.from(`${table}\0`), key]);

/** A new data key, which is stored nowhere yet. */
export const randomDataKey = (): Buffer => randomBytes(KEY_BYTES);

/** Encrypted by the master key when the folder or database is first used, to recognize a wrong key later. */
const CHECK = Buffer.from('decider');
const NAME = 'master';
const PLACE = placeOf('meta', NAME);

/** What is stored to recognize a master key later. */
export const masterCheck = (master: Uint8Array): string => seal(master, PLACE, CHECK).toString('base64');

/** Whether `check` was made with the key `master`. */
export function opensMasterCheck(master: Uint8Array, check: string): boolean {
  try {
    return unseal(master, PLACE, Buffer.from(check, 'base64')).equals(CHECK);
  } catch {
    return false;
  }
}
