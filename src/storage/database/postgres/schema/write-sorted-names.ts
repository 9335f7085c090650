import { sortedName } from '../../../../access/index.js';
import { type Queryable, statement } from '../statement.js';

/** Rows that one statement reads, and one writes. */
const PAGE_ROWS = 1_000;

/** A row with a name. */
interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * A step of a migration: writes `sorted_name` of the rows of a table that have a name, in lower case as the program has it.
 * The `lower` of PostgreSQL depends on the locale of the database, and in `C` knows ASCII only.
 */
export const writeSortedNames =
  (table: 'workspaces' | 'keys') =>
  async (transaction: Queryable): Promise<void> => {
    const read = statement(
      `read-names-${table}`,
      `SELECT id, name FROM ${table} WHERE name IS NOT NULL AND id > $1 ORDER BY id LIMIT ${PAGE_ROWS}`,
    );
    const write = statement(
      `write-sorted-names-${table}`,
      `UPDATE ${table} SET sorted_name = named.sorted FROM unnest($1::text[], $2::text[]) AS named (id, sorted)
        WHERE ${table}.id = named.id`,
    );
    for (let last: string | undefined = ''; last !== undefined; ) {
      const rows: readonly Named[] = await transaction.query<Named>(read, [last]);
      const sorted = rows.map(({ name }) => sortedName(name));
      await transaction.execute(write, [rows.map(({ id }) => id), sorted]);
      last = rows.at(-1)?.id;
    }
  };
