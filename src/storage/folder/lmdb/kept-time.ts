import type { Store } from './store.js';
import type { RawWrite } from './writes.js';

/** How often a serving process stores its calendar, in milliseconds. */
export const KEEP_TIME_EVERY_MS = 60_000;

/** The stored calendar of the process that serves a folder, in milliseconds since 1970. */
interface KeptTime {
  /** The time the calendar showed. */
  readonly shown: number;
  /** The last certain time (see `SteadyClock`); null if there was none yet. */
  readonly certain: number | null;
}

const NAME = 'clock';

/** Null if no time is stored. */
export function readKeptTime(store: Store): KeptTime | null {
  store.refresh();
  const { shown, certain = null } = store.table('meta').get(NAME) ?? {};
  return shown === undefined ? null : { shown, certain };
}

export function writeKeptTime(store: Store, { shown, certain }: KeptTime): RawWrite {
  return store.table('meta').write([NAME], certain === null ? { shown } : { shown, certain });
}
