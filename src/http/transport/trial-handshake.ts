import { type Duplex, duplexPair } from 'node:stream';
import { connect, createSecureContext, TLSSocket } from 'node:tls';
import { type Certificate, readCertificate, TlsError, type TlsFiles } from './certificate.js';

/** The longest time of the handshake, in milliseconds. It takes a few. */
const HANDSHAKE_MS_MAX = 5_000;

/**
 * Reads and checks the files of a certificate, and completes a TLS handshake with it in memory: OpenSSL loads certificates
 * that every client refuses, such as a chain of more than 100 KB. Rejects with TlsError.
 */
export async function tryCertificate(files: TlsFiles): Promise<Certificate> {
  const certificate = readCertificate(files);
  const [near, far] = duplexPair();
  try {
    await handshake(certificate, near, far);
  } catch (error) {
    // OpenSSL's own sentence; its messages have addresses and lines.
    const { reason, message } = error as Error & { readonly reason?: string };
    throw new TlsError(
      `tls.cert, tls.key: no client can connect with ${files.cert}: ${reason ?? message}. The chain must be complete and short: the server's certificate first, then the intermediate ones.`,
    );
  } finally {
    near.destroy();
    far.destroy();
  }
  return certificate;
}

function handshake({ cert, key }: Certificate, near: Duplex, far: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the handshake does not end')), HANDSHAKE_MS_MAX);
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    const server = new TLSSocket(near, { isServer: true, secureContext: createSecureContext({ cert, key }) });
    // The name and the trust of the certificate are the client's business.
    const client = connect({ socket: far, rejectUnauthorized: false });
    // The error of the client says what is wrong; that of the server, that the client has refused it.
    server.on('error', (error) => setImmediate(fail, error));
    client.on('error', fail);
    client.on('secureConnect', () => {
      clearTimeout(timer);
      client.destroy();
      server.destroy();
      resolve();
    });
  });
}
