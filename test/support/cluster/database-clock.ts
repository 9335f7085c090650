import { type Database, statement } from '../../../src/storage/database/index.js';

const REPLACE = statement(
  'test-replace-clock',
  `DO $$ BEGIN
     SET LOCAL allow_system_table_mods = on;
     CREATE TABLE public.test_clock AS SELECT NULL::bigint AS at, 0::bigint AS ahead;
     ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO system_clock_timestamp;
     CREATE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS
       'SELECT coalesce(to_timestamp(at / 1000.0), pg_catalog.system_clock_timestamp()) + ahead * interval ''1 ms''
        FROM public.test_clock';
   END $$`,
);

/** The clock of one database, which a test moves. Replace it before anything else uses the database. */
export class DatabaseClock {
  private constructor(private readonly database: Database) {}

  /** `at`: it stands there; absent: it follows the clock of the system. */
  static async replace(database: Database, at?: number): Promise<DatabaseClock> {
    await database.execute(REPLACE);
    const clock = new DatabaseClock(database);
    if (at !== undefined) await clock.run('at = $1', at);
    return clock;
  }

  /** Moves it by `ms`. */
  move(ms: number): Promise<void> {
    return this.run('ahead = ahead + $1', ms);
  }

  private async run(change: string, value: number): Promise<void> {
    await this.database.execute({ name: '', text: `UPDATE test_clock SET ${change}` }, [value]);
  }
}
