import { readFileSync } from 'node:fs';

const KILOBYTE = 1024;

/** Memory of a process, in bytes. */
export interface Memory {
  /** Its own memory. */
  readonly own: number;
  /** Mapped files, including the database: the system can reclaim these pages. */
  readonly mapped: number;
}

/** Only Linux distinguishes the two; elsewhere all memory counts as `own`. */
export function memoryNow(): Memory {
  if (process.platform !== 'linux') return { own: process.memoryUsage.rss(), mapped: 0 };
  const status = readFileSync('/proc/self/status', 'utf8');
  const bytes = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) * KILOBYTE;
  return { own: bytes('RssAnon') + bytes('RssShmem'), mapped: bytes('RssFile') };
}

/** The larger value of each kind. */
export const most = (one: Memory, other: Memory): Memory => ({
  own: Math.max(one.own, other.own),
  mapped: Math.max(one.mapped, other.mapped),
});
