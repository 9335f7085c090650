import { placeOf, seal, unseal } from './sealing.js';

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
