import { X509Certificate } from 'node:crypto';
import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { DAY_MS } from '../../src/base/index.js';
import { type Certificate, readCertificate, TlsError, tryCertificate } from '../../src/http/index.js';
import { CertificateWatch, expiryWarning, tlsFiles } from '../../src/server/watch-certificate.js';
import type { Log } from '../../src/telemetry/index.js';
import { certificateIn, selfSigned, writeCertificate } from '../support/certificate.js';
import { fakeClock } from '../support/fake-clock.js';

const LOOK_MS = 5_000;

/** A watch over new files whose clock the test moves. `until`: see `selfSigned`. */
function watchIn(folder: string, until?: string) {
  const clock = fakeClock(Date.parse('2026-11-22T00:00:00Z'));
  const current = readCertificate(writeCertificate(folder, selfSigned('localhost', until)));
  const used: Certificate[] = [];
  const lines: string[] = [];
  const line = (_: object, message: string) => void lines.push(message);
  const log = { info: line, warn: line, error: line } as unknown as Log;
  const refusing = { now: false };
  const second: Certificate[] = [];
  const listeners = [
    { host: '127.0.0.1', port: 1, renew: (next: Certificate) => void used.push(next) },
    {
      host: '127.0.0.1',
      port: 2,
      renew(next: Certificate) {
        if (refusing.now) throw new TlsError('a reason.');
        second.push(next);
      },
    },
  ];
  const watch = new CertificateWatch({ current, listeners, clock, log });
  const look = () => lookOf(watch, clock);
  const reload = async () => (await watch.prepare())();
  return { clock, current, used, second, refusing, lines, watch, look, reload };
}

/** Lets a watch look at the files. */
async function lookOf(watch: CertificateWatch, clock: { advance(ms: number): void }): Promise<void> {
  clock.advance(LOOK_MS);
  await watch.settled;
}

/** Writes a file in place, with a time of change that differs from all before, whatever the resolution of file times. */
function rewrite(file: string, text: string, seconds: number): void {
  writeFileSync(file, text);
  utimesSync(file, seconds, seconds);
}

test('a certificate whose files change is used without a restart', async (t) => {
  const folder = t.testdir({});
  const { clock, used, lines, watch, look } = watchIn(folder);
  await look();
  t.equal(used.length, 0, 'unchanged');
  const next = certificateIn(folder);
  clock.advance(LOOK_MS - 1);
  t.equal(used.length, 0);
  clock.advance(1);
  await watch.settled;
  t.strictSame(used, [next]);
  await look();
  t.equal(used.length, 1, 'once');
  t.strictSame(lines, ['the TLS certificate was renewed']);
  watch.stop();
  t.equal(clock.timers(), 0);
});

test('between the writes of the two files, the old certificate stays in use and nothing is reported', async (t) => {
  const folder = t.testdir({});
  const { current, used, lines, look } = watchIn(folder);
  const { cert, key } = selfSigned('localhost');
  rewrite(current.files.cert, cert, 1);
  await look();
  rewrite(current.files.key, key, 2);
  await look();
  t.equal(used.length, 1);
  t.strictSame(lines, ['the TLS certificate was renewed']);
});

test('files that cannot be used are reported once', async (t) => {
  const folder = t.testdir({});
  const { current, used, lines, look, reload } = watchIn(folder);
  rmSync(current.files.key);
  for (let count = 0; count < 5; count += 1) await look();
  t.equal(used.length, 0);
  t.match(lines, [/^the TLS certificate was not renewed: tls\.key: ENOENT/]);
  await t.rejects(reload(), { name: 'TlsError' });
  writeCertificate(folder);
  await look();
  t.equal(used.length, 1);
  t.match(lines, [/not renewed/, /was renewed/]);
});

test('a folder that becomes a file is reported once, and the old certificate stays', async (t) => {
  const folder = t.testdir({ tls: {} });
  const tls = join(folder, 'tls');
  const { clock, used, lines, look } = watchIn(tls);
  await look();
  renameSync(tls, join(folder, 'away'));
  writeFileSync(tls, '');
  for (let count = 0; count < 5; count += 1) await look();
  t.match(lines, [/^the TLS certificate was not renewed: tls\.cert: ENOTDIR/]);
  t.equal(lines.length, 1);
  t.equal(clock.timers(), 1, 'it still looks');
  t.equal(used.length, 0);
  rmSync(tls);
  renameSync(join(folder, 'away'), tls);
  await look();
  rmSync(join(tls, 'key.pem'));
  await look();
  t.equal(lines.length, 1, 'the failures are counted anew');
  await look();
  t.match(lines, [/ENOTDIR/, /not renewed: tls\.key: ENOENT/]);
});

test('a certificate that was renewed during the start is found by the first look', async (t) => {
  const folder = t.testdir({});
  const clock = fakeClock();
  const current = certificateIn(folder);
  const next = certificateIn(folder);
  const used: Certificate[] = [];
  const log = { info() {}, warn() {}, error() {} } as unknown as Log;
  const listeners = [{ host: '127.0.0.1', port: 1, renew: (given: Certificate) => void used.push(given) }];
  await lookOf(new CertificateWatch({ current, listeners, clock, log }), clock);
  t.strictSame(used, [next]);
});

test('if an endpoint refuses a certificate, the others still use it, and the endpoint gets it again later', async (t) => {
  const folder = t.testdir({});
  const { used, second, refusing, lines, look, reload } = watchIn(folder);
  refusing.now = true;
  const next = certificateIn(folder);
  await t.rejects(reload(), { name: 'TlsError', message: '127.0.0.1:2: a reason.' });
  for (let count = 0; count < 3; count += 1) await look();
  t.strictSame(used, [next], 'once');
  t.strictSame(lines, ['the TLS certificate was not renewed: 127.0.0.1:2: a reason.']);
  refusing.now = false;
  await look();
  t.strictSame([used, second], [[next], [next]]);
  t.match(lines, [/not renewed/, /was renewed/]);
  refusing.now = true;
  const third = certificateIn(folder);
  await t.rejects(reload());
  writeCertificate(folder, { cert: String(next.cert), key: String(next.key) });
  t.equal(await reload(), true, 'the files have the previous one again');
  t.strictSame([used, second], [[next, third, next], [next]]);
});

test('reload reads the files at once and returns whether the certificate is new', async (t) => {
  const folder = t.testdir({});
  const { used, lines, look, reload } = watchIn(folder);
  t.equal(await reload(), false);
  writeCertificate(folder, selfSigned('localhost', '20261201000000Z'));
  t.equal(await reload(), true);
  await look();
  t.equal(used.length, 1, 'the next look finds nothing new');
  t.match(lines, [/was renewed/, /cert\.pem expires at 2026-12-01T00:00:00\.000Z\. Renew it/]);
});

test('a certificate is due for renewal 14 days before its end', async (t) => {
  const end = '2026-12-01T00:00:00Z';
  const certificate = readCertificate(
    writeCertificate(t.testdir({}), selfSigned('localhost', '20261201000000Z')),
  );
  const at = (day: string) => expiryWarning(certificate, Date.parse(day));
  t.equal(at('2026-11-16T23:59:59Z'), null);
  t.match(at('2026-11-17T00:00:00Z'), /expires at 2026-12-01/);
  t.match(at(end), /expired at 2026-12-01/);
});

test('a certificate that expires soon is reported once a day', async (t) => {
  const { clock, lines, look } = watchIn(t.testdir({}), '20261207000000Z');
  clock.advance(DAY_MS - 1);
  t.strictSame(lines, [], 'more than 14 days left');
  await look();
  t.match(lines, [/expires at 2026-12-07/]);
  await look();
  t.equal(lines.length, 1);
  clock.advance(DAY_MS);
  t.equal(lines.length, 2);
  clock.advance(14 * DAY_MS);
  t.match(lines.at(-1), /expired at 2026-12-07/);
  t.equal(lines.length, 3);
});

test('one of the two files is not enough', async (t) => {
  t.equal(tlsFiles({ cert: '', key: '' }), null);
  t.throws(() => tlsFiles({ cert: 'a', key: '' }), {
    name: 'StartError',
    message: /^tls\.cert is set and tls\.key is not/,
  });
  t.throws(() => tlsFiles({ cert: '', key: 'a' }), {
    name: 'StartError',
    message: /^tls\.key is set and tls\.cert is not/,
  });
});

test('a chain that no client accepts is refused, and the old certificate stays', async (t) => {
  const folder = t.testdir({});
  const { current, used, lines, look } = watchIn(folder);
  const { cert, key } = selfSigned('localhost');
  const chain = (count: number) => cert + selfSigned('localhost').cert.repeat(count);
  // OpenSSL accepts 102,400 bytes of certificates, in DER with three bytes of length each.
  const each = new X509Certificate(cert).raw.length + 3;
  const most = Math.floor(102_400 / each) - 1;
  writeCertificate(folder, { cert: chain(most + 100), key });
  await look();
  await look();
  t.match(lines, [
    /^the TLS certificate was not renewed: .* no client can connect with .*cert\.pem: excessive message size\. The chain must be/,
  ]);
  t.strictSame(used, []);
  await t.rejects(tryCertificate(current.files), { name: 'TlsError' });
  writeCertificate(folder, { cert: chain(most - 10), key });
  await look();
  t.equal(used.length, 1);
});
