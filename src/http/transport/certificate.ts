import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { OperatorError } from '../../base/index.js';

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
}

/** Reads and checks both files. Throws TlsError. */
export function readCertificate(files: TlsFiles): Certificate {
  const cert = read('tls.cert', files.cert);
  const key = read('tls.key', files.key);
  const certificate = checked('tls.cert', files.cert, 'is not a certificate in PEM form', () => {
    createSecureContext({ cert });
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
  return { files, cert, key, expires: Date.parse(certificate.validTo) };
}

function read(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new TlsError(`${setting}: ${(error as Error).message}`);
  }
}

/** The reason is left out: OpenSSL's messages say less than the name of the file. */
function checked<Value>(setting: string, file: string, fault: string, parse: () => Value): Value {
  try {
    return parse();
  } catch {
    throw new TlsError(`${setting}: ${file} ${fault}.`);
  }
}
