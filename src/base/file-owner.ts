import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The user of this process; undefined where there are no such ids. */
const self = (): number | undefined => process.geteuid?.();

/**
 * The user id of the owner of a secret file, who can read and replace it, if that is neither the user of this process, nor
 * root, nor the owner of its folder, for whom root may work; otherwise null. Throws if there is no such file.
 */
export function foreignOwner(file: string, user: number | undefined = self()): number | null {
  return unlessOneOf([user, 0, statSync(dirname(file)).uid], statSync(file).uid, user);
}

/** The user id of the owner of a folder if that is neither the user of this process nor root; otherwise null. */
export function foreignFolderOwner(folder: string, user: number | undefined = self()): number | null {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found === undefined ? null : unlessOneOf([user, 0], found.uid, user);
}

const unlessOneOf = (allowed: readonly unknown[], owner: number, user: number | undefined): number | null =>
  user === undefined || allowed.includes(owner) ? null : owner;
