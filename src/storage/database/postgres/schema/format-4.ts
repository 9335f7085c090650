/** What changes in format 4: tasks. Values that a caller wrote are encrypted, except names. */
export const FORMAT_4: readonly string[] = [
  // `sealed`: in base64, as in the data folder. `answers`: the number of the last answer; those up to `oldest` are gone.
  `CREATE TABLE tasks (
    workspace text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL UNIQUE,
    created bigint NOT NULL,
    changed bigint NOT NULL,
    version int NOT NULL,
    bytes bigint NOT NULL,
    sealed text NOT NULL,
    answers bigint NOT NULL DEFAULT 0,
    oldest bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace, name)
  )`,
  // The questions of each version; under 0, the list of versions.
  `CREATE TABLE task_versions (
    task text COLLATE "C" NOT NULL,
    version int NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (task, version)
  )`,
  `CREATE TABLE task_answers (
    task text COLLATE "C" NOT NULL,
    number int NOT NULL,
    ref text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    version int NOT NULL,
    build text NOT NULL,
    sealed text NOT NULL,
    PRIMARY KEY (task, number),
    UNIQUE (task, ref)
  )`,
  `CREATE TABLE task_fits (
    task text COLLATE "C" NOT NULL,
    build text COLLATE "C" NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (task, build)
  )`,
  `CREATE TABLE task_labels (
    task text COLLATE "C" NOT NULL,
    ref text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    version int NOT NULL,
    build text NOT NULL,
    sealed text NOT NULL,
    expected text NOT NULL,
    PRIMARY KEY (task, ref)
  )`,
];
