import { ApiError } from '../../api/index.js';
import { valuesOf } from '../head.js';
import type { RouteReply } from '../reply.js';
import type { HeaderList } from '../transport/transport-types.js';
import { type ConsoleFile, type ConsoleFiles, chooseEncoding } from './console-files.js';
import { checkSite } from './site.js';

/** The web console of an endpoint. */
export interface ConsoleSite {
  readonly files: ConsoleFiles;
  /** Names of this server besides addresses and `localhost`. */
  readonly hosts: readonly string[];
}

const PAGE = 'index.html';

/** What the page may do: load its own files, call its own server, show images that the user gave it. */
const policyOf = ({ inline }: ConsoleFile): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...inline.script].join(' '),
    ["style-src 'self'", ...inline.style].join(' '),
    "img-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

const PROTECTION: HeaderList = [
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
];

const YEAR_SECONDS = 31_536_000;

/**
 * A file of the console, compressed as the client accepts. Throws ApiError `not_found` if there is no console or no such
 * file, and what `checkSite` throws.
 *
 * @param name null: the page
 */
export function consoleReply(site: ConsoleSite | null, name: string | null, headers: HeaderList): RouteReply {
  if (site === null) throw new ApiError('not_found', 'This endpoint has no console.');
  checkSite(headers, site.hosts, 'console.hosts');
  const reply = consoleFileReply(site.files, name, headers);
  if (reply === null) throw new ApiError('not_found', 'The console has no such file.');
  return reply;
}

/** What is sent for a file: its body is in memory. */
type ConsoleFileReply = RouteReply & {
  readonly body: Uint8Array;
  readonly type: string;
  readonly headers: HeaderList;
};

/** As `consoleReply`, for requests that the caller has checked; null if there is no such file. */
export function consoleFileReply(
  files: ConsoleFiles,
  name: string | null,
  headers: HeaderList,
): ConsoleFileReply | null {
  const file = name === PAGE ? undefined : files.get(name ?? PAGE);
  if (file === undefined) return null;
  const encoding = chooseEncoding(valuesOf(headers, 'accept-encoding'));
  const tag = `"${file.tag}-${encoding}"`;
  const known = valuesOf(headers, 'if-none-match').join(',').split(',');
  const isKnown = known.some((each) => each.trim().replace(/^W\//, '') === tag || each.trim() === '*');
  return {
    ...(isKnown && { status: 304 }),
    body: file.bodies[encoding],
    type: file.type,
    headers: [
      ...(encoding === 'identity' ? [] : ([['Content-Encoding', encoding]] as const)),
      ['ETag', tag],
      ['Cache-Control', cachingOf(file)],
      ['Vary', 'Accept-Encoding'],
      ['Content-Security-Policy', policyOf(file)],
      ...PROTECTION,
    ],
  };
}

const cachingOf = ({ immutable }: ConsoleFile): string =>
  immutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache';
