import { type DestinationStream, type Logger, pino } from 'pino';
import { LineOutput } from './line-output.js';
import type { RecentLines } from './recent-lines.js';

export type Log = Logger;

/**
 * One JSON object per line, with the name of its level. Of a request, only what `AccessEntry` holds may be logged;
 * callers' data, tokens and headers never are. `recent` receives warnings and errors too.
 */
export function createLog(level: string, destination: DestinationStream, recent?: RecentLines): Log {
  const { labels, values } = pino.levels;
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (name) => ({ level: name }) },
  };
  if (recent === undefined) return pino(options, destination);
  return pino(
    {
      ...options,
      hooks: {
        logMethod(args, method, number) {
          if (number >= (values.warn as number)) recent.add(labels[number] as string, args);
          return method.apply(this, args);
        },
      },
    },
    destination,
  );
}

/**
 * The log on standard error and its output, which drops lines that are not read; the log reports how many. `write` turns
 * a line of JSON, with its line feed, into what is written.
 */
export function createErrorLog(
  level: string,
  recent?: RecentLines,
  write: (line: string) => string = (line) => line,
): { readonly log: Log; readonly output: LineOutput } {
  const output = new LineOutput(2, (dropped) => log.error({ dropped }, 'lines of this log were dropped'));
  const log: Log = createLog(level, { write: (line) => output.write(write(line)) }, recent);
  return { log, output };
}
