import { type ConsoleFiles, consoleFileReply, type HeaderList } from '../../http/index.js';

/** The response with a file of the operator's console. */
interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The paths of the page. */
const PAGE_PATHS: readonly unknown[] = ['/', '/console'];
const FILES = '/console/';

/** Whether a path is one of the console. */
export const isConsolePath = (path: string | undefined): boolean =>
  PAGE_PATHS.includes(path) || path?.startsWith(FILES) === true;

/**
 * The response to a GET or HEAD request for a path of the console; null if it has no such file. The files hold nothing
 * that is secret and need no token.
 */
export function consoleAnswer(files: ConsoleFiles, path: string, fields: HeaderList): FileAnswer | null {
  const name = PAGE_PATHS.includes(path) ? null : path.slice(FILES.length);
  const reply = consoleFileReply(files, name, fields);
  if (reply === null) return null;
  const headers = { 'Content-Type': reply.type, ...Object.fromEntries(reply.headers) };
  return { status: reply.status ?? 200, headers, body: reply.status === 304 ? NOTHING : reply.body };
}

const NOTHING = new Uint8Array();
