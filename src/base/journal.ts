import { fstatSync } from 'node:fs';

/** Priorities of syslog by level of the log; systemd's journal stores them with each line. */
const PRIORITIES: Readonly<Record<string, number>> = { fatal: 2, error: 3, warn: 4, info: 6, debug: 7 };

/**
 * Whether a descriptor of this process leads to systemd's journal: `JOURNAL_STREAM` names the device and the inode of
 * the stream that systemd opened. A redirected descriptor has others.
 */
export function isJournal(
  descriptor: number,
  { JOURNAL_STREAM: stream }: Readonly<Record<string, string | undefined>>,
  stat: (descriptor: number) => { readonly dev: bigint; readonly ino: bigint } = bigStat,
): boolean {
  if (stream === undefined) return false;
  try {
    const { dev, ino } = stat(descriptor);
    return stream === `${dev}:${ino}`;
  } catch {
    // The descriptor is closed.
    return false;
  }
}

const bigStat = (descriptor: number) => fstatSync(descriptor, { bigint: true });

/** Lines, each with its line feed, with the priority of a level in front of each, as sd-daemon(3) describes. */
export const withPriority = (level: string, lines: string): string =>
  lines.replace(/^(?=.)/gm, `<${PRIORITIES[level] ?? PRIORITIES.info}>`);

/** The name of the level in a line of the log, which is its first field; '' if it has none. */
export const levelOf = (json: string): string => /^\{"level":"(\w+)"/.exec(json)?.[1] ?? '';
