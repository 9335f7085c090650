/** The codes of Node, of its TLS and of undici, and the sentence for each: what has failed, and what to do. */
const CAUSES: ReadonlyArray<readonly [codes: RegExp, sentence: string]> = [
  [/^ECONNREFUSED$/, 'the connection was refused. Is the server running, and is the port right?'],
  [/^ENOTFOUND$/, 'its host name is unknown. Correct the name, or check the DNS.'],
  [/^EAI_\w+$/, 'the DNS does not answer. Try again, or check the DNS of this host.'],
  [
    /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/,
    'there is no route to it. Check the address and the network.',
  ],
  [
    /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/,
    'it does not answer in time. Check the address, the port and firewalls.',
  ],
  [
    /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|EPROTO)$/,
    'it does not speak TLS there. If the server has no certificate, use http:// instead of https://.',
  ],
  [
    /^HPE_\w+$/,
    'it does not speak HTTP there. If the server has a certificate, use https:// instead of http://.',
  ],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired. Renew the certificate of the server.'],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet. Check the clock of this host.'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'its certificate is for another host name. Use a name that the certificate has.',
  ],
  [
    /^(\w*SELF_SIGNED\w*|UNABLE_TO_\w+|\w*CERT\w*)$/,
    'its certificate is not trusted. Set NODE_EXTRA_CA_CERTS to the PEM file of its authority.',
  ],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|ECONNABORTED)$/,
    'the connection was closed before the response. Check that the URL, its scheme and proxies on the way are right.',
  ],
];

/** Depth of causes that is searched. */
const CAUSES_MAX = 8;

/**
 * The code of a failed connection, such as `ECONNREFUSED`: that of the innermost cause, because `fetch` itself only says
 * that it failed, and of the first address if several were tried. Null if there is none.
 */
export function connectionCode(error: unknown): string | null {
  let found: string | null = null;
  let inner = error;
  for (let depth = 0; depth < CAUSES_MAX && typeof inner === 'object' && inner !== null; depth++) {
    const { code, cause, errors } = inner as { code?: unknown; cause?: unknown; errors?: unknown };
    if (typeof code === 'string' && /^\w{1,64}$/.test(code)) found = code;
    inner = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return found;
}

/** Why a connection failed and what to do, as the end of a sentence about the address; null for an unknown code. */
export const connectionFailure = (code: string | null): string | null =>
  CAUSES.find(([codes]) => code !== null && codes.test(code))?.[1] ?? null;

/** Whether `fetch` sent nothing, because the port is one of another protocol, which browsers refuse too. */
export const isRefusedPort = (error: unknown): boolean =>
  ((error as Error).cause as Error | undefined)?.message === 'bad port';

/** What `isRefusedPort` means, as the end of a sentence about an address. */
export const REFUSED_PORT = 'a port of another protocol, to which no request is sent. Use another port.';

/** One line about a server that could not be asked. `address` has no secret. */
export function unreachable(address: string, error: unknown): string {
  if (isRefusedPort(error)) return `url: ${address} has ${REFUSED_PORT}`;
  const code = connectionCode(error);
  const reason = connectionFailure(code) ?? 'the connection failed. Check the URL and the network.';
  return `url: ${address} cannot be reached${code === null ? '' : ` (${code})`}: ${reason}`;
}
