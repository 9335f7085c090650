/** What changes in format 8: what the answers to tasks say since the last fit to a build. */
export const FORMAT_8: readonly string[] = [
  `CREATE TABLE task_monitors (
    task text COLLATE "C" NOT NULL,
    build text COLLATE "C" NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (task, build)
  )`,
];
