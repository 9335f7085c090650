import { generateKeyPairSync, sign } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCertificate, type TlsFiles } from '../../src/http/index.js';

/** DER (ITU-T X.690): a tag, a length, the contents. */
function der(tag: number, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const length = body.length;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...contents: Buffer[]) => der(0x30, ...contents);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const utf8 = (text: string) => der(0x0c, Buffer.from(text));
const time = (text: string) => der(0x18, Buffer.from(text));
const bits = (bytes: Buffer) => der(0x03, Buffer.from([0]), bytes);

/**
 * A new key and its self-signed certificate (RFC 5280, ECDSA on P-256) for one host name, as PEM.
 *
 * @param until the time of its end, as `YYYYMMDDhhmmssZ`
 */
export function selfSigned(
  host: string,
  until = '99991231235959Z',
): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const name = sequence(der(0x31, sequence(oid('550403'), utf8(host))));
  const alternativeNames = sequence(der(0x82, Buffer.from(host, 'ascii')));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(time('20200101000000Z'), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(oid('551d11'), der(0x04, alternativeNames)))),
  );
  const whole = sequence(body, algorithm, bits(sign('sha256', body, privateKey)));
  const base64 = whole.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}

/** Writes the files of a certificate for `localhost` into a folder, each in one step, and returns their names. */
export function writeCertificate(folder: string, { cert, key } = selfSigned('localhost')): TlsFiles {
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    return file;
  };
  return { cert: write('cert.pem', cert), key: write('key.pem', key) };
}

/** A new certificate for `localhost`, in a folder. */
export const certificateIn = (folder: string) => readCertificate(writeCertificate(folder));
