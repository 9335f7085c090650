import { type DestinationStream, type Logger, pino } from 'pino';
import { LineOutput } from './line-output.js';

export type Log = Logger;
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

/**
 * One JSON object per line. Of a request, only what `AccessEntry` holds may be logged; callers' data, tokens
 * and headers never are.
 */
export function createLog(level: string, destination: DestinationStream): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** The log on standard error and its output, which drops lines that are not read; the log reports how many. */
export function createErrorLog(level: string): { readonly log: Log; readonly output: LineOutput } {
  const output = new LineOutput(2, (dropped) => log.error({ dropped }, 'lines of this log were dropped'));
  const log: Log = createLog(level, output);
  return { log, output };
}
