import { connectionCode, unreachable, visible } from '../base/index.js';
import { Decider, DeciderError } from '../client/index.js';
import { tokenOf } from './arguments.js';
import { type Options, printError, reportError } from './output.js';
import { INTERRUPTED } from './signals.js';

/** What a shell reports for a command that a signal ended. */
const STATUS_OF_SIGNAL = { SIGINT: INTERRUPTED, SIGTERM: 143 } as const;

/** Characters that a header carries unchanged. */
const HEADER_TEXT = /^[\x20-\x7e]*$/;
/** System calls whose failure concerns a file of the user. */
const FILE_CALLS = new Set(['open', 'read', 'write', 'fchmod', 'fsync', 'close', 'rename', 'copyfile']);

/** The client's own types about the connection. Others have a sentence for people. */
const OF_CONNECTION: ReadonlySet<string> = new Set(['unreachable', 'connection_lost', 'timeout']);

/** Options of a command that asks a server. */
export interface ClientOptions extends Options {
  readonly url: string;
  readonly token?: string;
}

/** What to do if the server may have done what was asked; null: nothing that was asked changes anything. */
export type Doubt = () => string | null;

/**
 * Runs a command with a client. Mistakes of the user and refusals of the server print one line; the status is 1.
 *
 * @param fetcher what the client calls the server with
 */
export function withClient(
  { url, token: given }: ClientOptions,
  doubt: Doubt,
  work: (client: Decider) => Promise<void>,
  fetcher: () => Promise<typeof fetch> = async () => fetch,
): Promise<void> {
  return reportError(async () => {
    const token = tokenOf(given);
    if (token === '') fail('token: give --token, or set DECIDER_TOKEN.');
    checkHeader('token', token);
    if (originOf(url) === null)
      fail('url: not an http or https URL. Give the base endpoint: http://127.0.0.1:8080');
    try {
      await work(new Decider({ url, token, fetch: await fetcher() }));
    } catch (error) {
      fail(reasonOf(error, url, doubt));
    }
  });
}

function reasonOf(error: unknown, url: string, doubt: Doubt): string {
  if (error instanceof DeciderError) {
    const explained = error.outcomeUnknown ? doubt() : null;
    const reason = callReason(error, originOf(url) ?? 'the server');
    return explained === null ? reason : `${reason} ${explained}`;
  }
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (FILE_CALLS.has(syscall ?? '')) return `file: ${message}`;
  if (error instanceof TypeError && /^(url|token|name): /.test(message)) return message;
  throw error;
}

function callReason({ type, status, message, cause }: DeciderError, origin: string): string {
  if (status !== null || !OF_CONNECTION.has(type)) return `${type}: ${message}`;
  const code = connectionCode(cause) ?? type;
  if (type === 'unreachable') return unreachable(origin, cause);
  return `url: ${origin} did not complete its response (${code}).`;
}

/** Null unless it is a URL of HTTP. The rest of it may hold a password. */
function originOf(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.origin : null;
}

/** Ends the command if a header cannot carry the value of an option. */
export function checkHeader(name: string, value = ''): void {
  if (!HEADER_TEXT.test(value)) fail(`${name}: only printable ASCII characters can be sent.`);
}

/** Prints a line on standard error and ends the process with status 1. */
export function fail(message: string): never {
  printError(visible(message));
  process.exit(1);
}

/** `cases.jsonl:12: invalid_custom_id: …` */
export function printLineErrors(
  file: string,
  lines: ReadonlyArray<{ readonly line: number; readonly type: string; readonly error: string }>,
): void {
  for (const { line, type, error } of lines) printError(visible(`${file}:${line}: ${type}: ${error}`));
}

/** After Ctrl-C or SIGTERM, the command ends with what `text` returns at that time; null: with nothing. */
export function explainInterrupt(text: () => string | null): void {
  const end = (signal: keyof typeof STATUS_OF_SIGNAL) => {
    process.once('exit', () => {
      const explained = text();
      if (explained !== null) printError(explained);
    });
    process.exit(STATUS_OF_SIGNAL[signal]);
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}
