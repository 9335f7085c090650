import { readFileSync } from 'node:fs';

const KILOBYTE = 1024;

/** What a process holds, in bytes. */
export interface Memory {
  /** Its own. */
  readonly own: number;
  /** Of files that it has mapped, the database among them: the system takes these pages back when it needs them. */
  readonly mapped: number;
}

/** Linux tells the two apart; elsewhere all is `own`. */
export function memoryNow(): Memory {
  if (process.platform !== 'linux') return { own: process.memoryUsage.rss(), mapped: 0 };
  const status = readFileSync('/proc/self/status', 'utf8');
  const bytes = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) * KILOBYTE;
  return { own: bytes('RssAnon') + bytes('RssShmem'), mapped: bytes('RssFile') };
}

/** The larger of each. */
export const most = (one: Memory, other: Memory): Memory => ({
  own: Math.max(one.own, other.own),
  mapped: Math.max(one.mapped, other.mapped),
});
