import { OperatorError } from './operator-error.js';

/**
 * Reads a URL; null if the string is none. The parser gives every host one spelling: lower case, punycode, dotted
 * decimal IPv4. Final dots are removed: DNS means the same without them, and certificates are issued without.
 */
export function parseUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  url.hostname = url.hostname.replace(/\.+$/, '');
  return url;
}

/** The host of a URL as DNS and `isIP` take it: an IPv6 address without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** The default of `--path` of `decider eval` and `decider load`. */
export const SYSTEM_ONE_PATH = '/v1/systemone';

const TOKEN = /^[\x21-\x7e]+$/;

/** The URL of a path below a base endpoint, both as an operator gives them. Throws OperatorError, never with a secret. */
export function readEndpoint(base: string, path: string): URL {
  const url = parseUrl(base);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new OperatorError('url: not an http or https URL. Give the base endpoint: http://127.0.0.1:8080');
  if (url.username !== '' || url.password !== '')
    throw new OperatorError('url: it contains a user name or password. Give the token with --token.');
  if (url.search !== '' || url.hash !== '')
    throw new OperatorError('url: remove everything from "?" or "#" on.');
  if (!path.startsWith('/')) throw new OperatorError(`path: "${path}" does not begin with "/".`);
  url.pathname = url.pathname.replace(/\/$/, '') + path;
  return url;
}

/** Whether decisions at an address have the form of OpenAI's Decisions API, not that of System One. */
export const isDecisionsPath = ({ pathname }: URL): boolean => pathname.endsWith('/v1/decisions');

/** Throws OperatorError for a token that a header cannot carry. */
export function requireToken(token: string): void {
  if (TOKEN.test(token)) return;
  throw new OperatorError('token: only printable ASCII characters without spaces can be sent.');
}
