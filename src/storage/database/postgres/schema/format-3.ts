/** What changes in format 3: the calendar of the cluster. */
export const FORMAT_3: readonly string[] = [
  // One row; see `DatabaseCalendar`. Instants are by the calendar, in milliseconds since 1970, that of `confirmed_clock` by the database's clock.
  `CREATE TABLE calendar (
    id smallint PRIMARY KEY CHECK (id = 1),
    version bigint NOT NULL,
    correction bigint NOT NULL,
    since bigint,
    doubted bigint,
    before bigint,
    began bigint NOT NULL,
    shift bigint NOT NULL,
    confirmed bigint NOT NULL,
    confirmed_clock bigint NOT NULL,
    confirmed_by bigint
  )`,
  // The host's clock minus the calendar, in milliseconds.
  'ALTER TABLE nodes ADD COLUMN ahead bigint NOT NULL DEFAULT 0',
];
