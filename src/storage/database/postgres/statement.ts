/** An SQL statement. It is prepared once per connection under its name, so one name must always have one text. */
export interface Statement {
  /** For metrics, errors and tests: `ledger-flush`. */
  readonly name: string;
  readonly text: string;
}

/** A statement, whose parameters are $1, $2, … */
export const statement = (name: string, text: string): Statement => ({ name, text });

/**
 * Runs statements: a database, or a transaction in it. Parameters may be strings, numbers, bigint, booleans, null, Buffer
 * and arrays of these; a value of a jsonb column is given as JSON text. The type of rows is not checked.
 *
 * Throws DatabaseUnavailable and StatementError.
 */
export interface Queryable {
  /** The rows that a statement returns. */
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /** How many rows a statement changed. */
  execute(statement: Statement, values?: readonly unknown[]): Promise<number>;
}
