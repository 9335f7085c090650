import { createHash } from 'node:crypto';
import { openEnvironment } from '../../../src/storage/folder/lmdb/environment.js';
import { TABLE_NAMES } from '../../../src/storage/folder/lmdb/tables.js';

/** The entry of `meta` that belongs to a host and does not move. */
const CLOCK = Buffer.from('clock\0');

/** The number of entries of every table of a data folder, and a digest of their keys and values as they are stored. */
export async function folderContent(folder: string): Promise<Record<string, string>> {
  const { root, databases } = openEnvironment(folder);
  const content = TABLE_NAMES.map((name) => {
    const hash = createHash('sha256');
    let count = 0;
    for (const { key, value } of databases[name].getRange({})) {
      if (name === 'meta' && key.equals(CLOCK)) continue;
      hash.update(`${key.length} ${value.length}\n`).update(key).update(value);
      count += 1;
    }
    return [name, `${count} ${hash.digest('hex')}`];
  });
  await root.close();
  return Object.fromEntries(content);
}
