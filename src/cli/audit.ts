import { AUDIT_ENTRIES_MAX, type AuditEntry, type AuditFilter } from '../access/index.js';
import { showInstant, showTime } from '../base/index.js';
import { readWholeBetween } from './arguments.js';
import { type Options, print, printJson } from './output.js';
import { table } from './text-table.js';
import { withAdministration } from './with-store.js';

interface AuditOptions extends Options, AuditFilter {
  readonly limit?: string;
  readonly after?: string;
}

/** Entries that are listed without `--limit` and `--after`. */
const LISTED = 20;

/** `decider audit`: the last administrative changes, newest first; with `--after`, all those with a higher number. */
export const audit = (options: AuditOptions) =>
  withAdministration(
    options,
    async (administration) => {
      const after = readWholeBetween('after', options.after ?? '0', 0, Number.MAX_SAFE_INTEGER);
      const listed = options.after === undefined ? LISTED : AUDIT_ENTRIES_MAX;
      const limit = readWholeBetween('limit', options.limit ?? String(listed), 1, AUDIT_ENTRIES_MAX);
      const { entries } = await administration.audit(limit, undefined, after, options);
      const rows = entries.map(({ at, ...entry }) => ({ time: showInstant(at), ...entry }));
      if (options.json) return printJson(rows);
      const cells = rows.map((row) => [
        String(row.number),
        showTime(row.time),
        row.actor,
        row.action,
        row.key ?? row.workspace ?? '',
        row.changes.map(showChange).join('; '),
      ]);
      print(table(['number', 'time', 'actor', 'action', 'of', 'changes'], cells, ['number']));
    },
    { readOnly: true },
  );

const showChange = ({ field, before, after }: AuditEntry['changes'][number]): string =>
  before === null ? `${field} ${after}` : `${field} ${before} → ${after ?? 'none'}`;
