import type { OperatorResponses } from '../../api/index.js';

type AuditPage = OperatorResponses['listAudit'];

/** The newest entries that fit a filter. */
interface FirstPage extends AuditPage {
  readonly filter: object;
}

/** Entries that were shown when the last of them were loaded, for as long as the filter is this object. */
export type OlderEntries = FirstPage;

/** What is shown, and a further page of older entries. */
export const withOlder = (shown: AuditPage, filter: object, page: AuditPage): OlderEntries => ({
  filter,
  more: page.more,
  entries: [...shown.entries, ...page.entries],
});

/**
 * The entries that are shown. Older ones stay when the first page is read again: entries never change. They are left out if
 * they have another filter, or if entries between them and the first page are missing.
 */
export function shownAudit(first: FirstPage | null, older: OlderEntries | null): AuditPage {
  if (first === null) return { entries: [], more: false };
  if (older?.filter !== first.filter) return first;
  const last = first.entries.at(-1)?.number;
  const known = older.entries.findIndex(({ number }) => number === last);
  if (known === -1) return first;
  return { more: older.more, entries: [...first.entries, ...older.entries.slice(known + 1)] };
}
