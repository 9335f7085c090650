import { isatty } from 'node:tty';
import { isJournal, levelOf, visibleJson, visibleLines, withPriority } from '../base/index.js';
import type { Settings } from '../settings/index.js';
import { textLine } from '../telemetry/index.js';

const STDERR = 2;

/**
 * How the lines of the log are written to standard error: for people or as JSON, in systemd's journal with their
 * priorities. What others wrote cannot control a terminal.
 *
 * @returns a function of a line of JSON with its line feed
 */
export function logLines(
  format: Settings['log']['format'],
  terminal = isatty(STDERR),
  journal = isJournal(STDERR, process.env),
): (line: string) => string {
  const isText = format === 'text' || (format === 'auto' && terminal);
  const written = isText ? (line: string) => `${visibleLines(textLine(line))}\n` : visibleJson;
  return journal ? (line) => withPriority(levelOf(line), written(line)) : written;
}
