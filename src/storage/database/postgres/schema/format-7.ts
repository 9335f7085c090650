/** What changes in format 7: shadow builds of tasks. */
export const FORMAT_7: readonly string[] = [
  'CREATE TABLE task_shadows (task text COLLATE "C" PRIMARY KEY, sealed bytea NOT NULL)',
];
