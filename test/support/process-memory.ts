import { readFileSync, writeFileSync } from 'node:fs';

/** Linux: what a process holds, and the most that it has held since it was last forgotten. */
export function memoryOf(pid: number) {
  const file = (name: string) => `/proc/${pid}/${name}`;
  const kilobytes = (field: string) =>
    Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(file('status'), 'utf8'))?.[1]);
  return {
    now: () => kilobytes('VmRSS') * 1024,
    /** Without pages of mapped files. */
    own: () => (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024,
    peak: () => kilobytes('VmHWM') * 1024,
    forgetPeak: () => writeFileSync(file('clear_refs'), '5'),
  };
}
