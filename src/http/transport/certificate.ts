import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { OperatorError } from '../../base/index.js';

/** What all users may do with a file. */
const KEY_MODES_REFUSED = 0o007;

/** The files of a certificate: PEM, the chain with the server's own certificate first, and its key without a passphrase. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** A certificate whose key fits, as read from its files. */
export interface Certificate {
  readonly files: TlsFiles;
  /** The contents of the files. */
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** A certificate or its key cannot be used; the message names the setting and the file, and no content of it. */
export class TlsError extends OperatorError {
  override readonly name = 'TlsError';

  /** The library does not accept files that were read as a certificate and its key. `cause`: its error, if it says why. */
  static refused(library: string, { cert, key }: TlsFiles, cause?: unknown): TlsError {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    return new TlsError(`tls.cert, tls.key: ${library} cannot use ${cert} with ${key}${why}.`);
  }
}

/** Reads and checks both files. Throws TlsError, also if all users can access the key. */
export function readCertificate(files: TlsFiles): Certificate {
  const cert = read('tls.cert', files.cert);
  const key = read('tls.key', files.key, KEY_MODES_REFUSED);
  const certificate = checked('tls.cert', files.cert, 'is not a certificate in PEM form', () => {
    if (!cert.includes('-----BEGIN ')) throw new Error('the DER form');
    return new X509Certificate(cert);
  });
  const privateKey = checked(
    'tls.key',
    files.key,
    'is not a private key in PEM form without a passphrase',
    () => createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new TlsError(`tls.key: ${files.key} is not the key of the certificate in ${files.cert}.`);
  }
  try {
    // Also reads the rest of the chain, and refuses keys that are too short.
    createSecureContext({ cert, key });
  } catch (error) {
    throw TlsError.refused('OpenSSL', files, error);
  }
  return { files, cert, key, expires: Date.parse(certificate.validTo) };
}

/** @param refused bits of a file's mode that it must not have */
function read(setting: string, file: string, refused = 0): Buffer {
  try {
    if ((statSync(file).mode & refused) === 0) return readFileSync(file);
  } catch (error) {
    throw new TlsError(`${setting}: ${(error as Error).message}`);
  }
  throw new TlsError(`${setting}: ${file} is accessible to all users. Change its mode to 0600 or 0640.`);
}

/** The reason is left out: of a file in another form, OpenSSL's messages say less than the fault. */
function checked<Value>(setting: string, file: string, fault: string, parse: () => Value): Value {
  try {
    return parse();
  } catch {
    throw new TlsError(`${setting}: ${file} ${fault}.`);
  }
}
