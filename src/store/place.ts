import { encodeKey, type Part } from './key-layout.js';
import type { Place } from './sealing.js';
import { TABLES, type TableName } from './tables.js';

/** The place of a sealed value, without an open environment: threads that seal have none. */
export function placeOf(table: TableName, ...parts: readonly Part[]): Place {
  return { table, key: encodeKey(TABLES[table].key, parts), name: parts.join('/') };
}
