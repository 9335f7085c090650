import { AUDIT_ENTRIES_MAX, type AuditEntry, readAudit } from '../store/index.js';
import { readWholeBetween } from './arguments.js';
import { type Options, print, printJson, showInstant } from './output.js';
import { table } from './table.js';
import { withStore } from './with-store.js';

interface AuditOptions extends Options {
  readonly limit: string;
}

/** `decider audit`: the last administrative changes, newest first. */
export const audit = (options: AuditOptions) =>
  withStore(
    options,
    (store) => {
      const limit = readWholeBetween('limit', options.limit, 1, AUDIT_ENTRIES_MAX);
      const { entries } = readAudit(store.table('audit'), limit);
      const rows = entries.map(({ at, ...entry }) => ({ time: showInstant(at), ...entry }));
      if (options.json) return printJson(rows);
      const cells = rows.map((row) => [
        String(row.number),
        row.time,
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
