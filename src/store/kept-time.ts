import type { Store } from './store.js';
import type { RawWrite } from './writer-thread.js';

/** The calendar of the process that serves a folder, as it was kept last. Milliseconds since 1970. */
export interface KeptTime {
  /** What the calendar showed. */
  readonly shown: number;
  /** The last time that was beyond doubt; null where there was none yet. */
  readonly certain: number | null;
}

const NAME = 'clock';

/** Null where no process has kept a time. */
export function readKeptTime(store: Store): KeptTime | null {
  store.refresh();
  const { shown, certain = null } = store.table('meta').get(NAME) ?? {};
  return shown === undefined ? null : { shown, certain };
}

export function writeKeptTime(store: Store, { shown, certain }: KeptTime): RawWrite {
  return store.table('meta').write([NAME], certain === null ? { shown } : { shown, certain });
}
