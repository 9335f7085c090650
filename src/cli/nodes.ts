import { showInstant, showTime } from '../base/index.js';
import { listNodes, requireFormat } from '../storage/database/index.js';
import { type Options, print, printJson } from './output.js';
import { table } from './text-table.js';
import { withDatabase } from './with-database.js';

/** `decider nodes`: the servers that share the database, and whether each serves. */
export const nodes = (options: Options) =>
  withDatabase(options, async (database) => {
    await requireFormat(database);
    const rows = (await listNodes(database)).map(({ started, seen, ahead, ...node }) => ({
      ...node,
      started: showInstant(started),
      seen: showInstant(seen),
      clock_ahead_ms: ahead,
    }));
    if (options.json) return printJson(rows);
    const cells = rows.map(({ id, name, version, started, seen, clock_ahead_ms: ahead, serves }) => [
      String(id),
      name,
      version,
      showTime(started),
      showTime(seen),
      `${(ahead / 1_000).toFixed(1)} s`,
      serves ? 'yes' : 'no',
    ]);
    print(table(['id', 'name', 'version', 'started', 'last seen', 'clock ahead', 'serves'], cells, ['id']));
  });
