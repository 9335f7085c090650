import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type pg from 'pg';
import { OperatorError } from '../../../base/index.js';

/**
 * The meaning of `sslmode`, as in PostgreSQL. Without it, TLS is verified in full, except on loopback and Unix sockets.
 * `require` does not verify the certificate unless there is a `store.ca`.
 */
const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof MODES)[number];

const PROTOCOLS = ['postgres:', 'postgresql:'];
const PARAMETERS = ['host', 'sslmode'];
const PORT = 5432;
const NO_HOST = 'none.invalid';

/** Where a database is, and how to connect to it. */
export type Address = Pick<pg.ClientConfig, 'host' | 'port' | 'user' | 'password' | 'database'> & {
  readonly ssl: Exclude<pg.ClientConfig['ssl'], undefined>;
};

/**
 * Reads `store.url` and the file `store.ca` ('': none). Throws OperatorError, whose message has nothing of the URL except
 * names of parameters.
 */
export function readAddress(url: string, ca: string): Address {
  const parsed = parse(url);
  for (const name of parsed.searchParams.keys()) {
    if (!PARAMETERS.includes(name))
      throw new OperatorError(`store.url has a parameter that is not supported. Only sslmode and host are.`);
  }
  const named = parsed.hostname === NO_HOST ? '' : decoded(parsed.hostname).replace(/^\[(.*)\]$/, '$1');
  const host = parsed.searchParams.get('host') ?? named;
  const database = decoded(parsed.pathname.slice(1));
  if (host === '' || database === '')
    throw new OperatorError(
      'store.url must name a host and a database: postgres://user:password@host/database',
    );
  if (host.includes(',')) throw new OperatorError('store.url must name one host, not a list.');
  return {
    host,
    port: parsed.port === '' ? PORT : Number(parsed.port),
    database,
    ...(parsed.username === '' ? {} : { user: decoded(parsed.username) }),
    ...(parsed.password === '' ? {} : { password: decoded(parsed.password) }),
    ssl: tls(modeOf(parsed, host), host, ca),
  };
}

function parse(url: string): URL {
  try {
    // The parser requires a host before a port and after a user; without one, the parameter `host` names it.
    const parsed = new URL(url.replace(/^(\w+:\/\/(?:[^/?#]*@)?)(?=(:\d*)?[/?#])/, `$1${NO_HOST}`));
    if (PROTOCOLS.includes(parsed.protocol)) return parsed;
  } catch {
    // The parser's error quotes the URL, and with it the password.
  }
  throw new OperatorError(
    'store.url is not a URL of a database: postgres://user:password@host/database. Percent-encode special characters of the password.',
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new OperatorError(
      'store.url has a percent sign that does not begin an encoded character; write %25.',
    );
  }
}

function modeOf(url: URL, host: string): Mode {
  const given = url.searchParams.get('sslmode');
  if (given === null) return isLocal(host) ? 'disable' : 'verify-full';
  const mode = MODES.find((name) => name === given);
  if (mode === undefined) throw new OperatorError(`sslmode in store.url must be one of ${MODES.join(', ')}.`);
  return mode;
}

const isLocal = (host: string) =>
  host.startsWith('/') ||
  host === 'localhost' ||
  host === '::1' ||
  (isIP(host) === 4 && host.startsWith('127.'));

function tls(mode: Mode, host: string, ca: string): Address['ssl'] {
  if (mode === 'disable' || host.startsWith('/')) return false;
  if (mode === 'verify-ca' && ca === '')
    throw new OperatorError(
      'sslmode=verify-ca in store.url requires store.ca, the certificate of the authority.',
    );
  const verified = mode !== 'require' || ca !== '';
  return {
    rejectUnauthorized: verified,
    ...(ca === '' ? {} : { ca: readAuthority(ca) }),
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
}

function readAuthority(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  } catch (error) {
    throw new OperatorError(`store.ca cannot be read: ${(error as Error).message}.`);
  }
  throw new OperatorError(`store.ca: ${file} is not a PEM file of certificates.`);
}
