import { OperatorError, showCount, systemClock } from '../base/index.js';
import { readMasterKey } from '../sealing/index.js';
import { storeExists } from '../storage/index.js';
import { type ComparedTable, moveToDatabase, moveToFolder, type ReportRows } from '../storage/move/index.js';
import { type Options, print, printError, printJson } from './output.js';
import { table } from './text-table.js';
import { withDatabase } from './with-database.js';

/** The places that data can be moved to: the database of `store.url`, or the data folder. */
export const PLACES = ['database', 'folder'] as const;
type MoveOptions = Options & { readonly to: (typeof PLACES)[number] };

/** One line of progress per this many milliseconds. */
const LINE_EVERY_MS = 2_000;
const STEPS = { copy: 'copying', compare: 'comparing' } as const;

/** A move begins only in an empty database. One to a folder says itself what is unknown. */
const IF_UNKNOWN =
  'Run the command again: if the database is not empty then, this command has moved the data, and both sides were compared.';

/** `decider store move`: copies everything, and compares both sides. */
export const move = (options: MoveOptions) =>
  withDatabase(
    options,
    async (database, { data: folder, master_key: given }) => {
      const sides = { folder, database, masterKey: readMasterKey(given) };
      const report = progress((line) => printError(line), systemClock.monotonic);
      if (options.to === 'database' && !storeExists(folder))
        throw new OperatorError(
          `The data folder ${folder} has no store, so there is nothing to move. Name the folder of the earlier server (data, DECIDER_DATA).`,
        );
      const tables = await (options.to === 'database' ? moveToDatabase : moveToFolder)(sides, report);
      if (options.json) return printJson({ to: options.to, tables });
      show(tables, options.to, folder);
    },
    IF_UNKNOWN,
  );

function show(tables: readonly ComparedTable[], to: MoveOptions['to'], folder: string): void {
  const cells = tables.map(({ table: name, rows, sha256 }) => [name, String(rows), sha256]);
  print(table(['table', 'rows', 'sha-256'], cells, ['rows']));
  print(`The database and the data folder ${folder} have the same content.`);
  print(
    to === 'database'
      ? 'Move store and master.key out of that folder, and start the servers with store.url.'
      : 'Remove store.url, and start the server. No server can use the database any more.',
  );
}

/**
 * Prints a line now and then while a table is copied or compared.
 *
 * @param now in milliseconds, monotonic
 */
export function progress(printLine: (line: string) => void, now: () => number): ReportRows {
  let shownAt = now();
  return (step, name, rows) => {
    if (now() - shownAt < LINE_EVERY_MS) return;
    shownAt = now();
    printLine(`${STEPS[step]} ${name}: ${showCount(rows)} rows`);
  };
}
