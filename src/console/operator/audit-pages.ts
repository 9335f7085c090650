import type { OperatorResponses } from '../../api/index.js';

type AuditPage = OperatorResponses['listAudit'];

/** Entries that were loaded after a first page. */
export interface OlderEntries extends AuditPage {
  /** The first page that they continue: another one may have other filters, or newer entries. */
  readonly of: AuditPage;
}

/** The older entries with a further page of those that `first` begins. */
export const withOlder = (older: OlderEntries | null, first: AuditPage, page: AuditPage): OlderEntries => ({
  of: first,
  more: page.more,
  entries: [...(older?.of === first ? older.entries : []), ...page.entries],
});

/** The entries that are shown: a page that continues another first page is left out. */
export function shownAudit(first: AuditPage | null, older: OlderEntries | null): AuditPage {
  if (first === null) return { entries: [], more: false };
  if (older?.of !== first) return first;
  return { more: older.more, entries: [...first.entries, ...older.entries] };
}
