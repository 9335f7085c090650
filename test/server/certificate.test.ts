import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { DAY_MS } from '../../src/base/index.js';
import { type Certificate, readCertificate, TlsError } from '../../src/http/index.js';
import { CertificateWatch, expiryWarning, tlsFiles } from '../../src/server/certificate.js';
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
  return { clock, current, used, second, refusing, lines, watch };
}

/** Writes a file in place, with a time of change that differs from all before, whatever the resolution of file times. */
function rewrite(file: string, text: string, seconds: number): void {
  writeFileSync(file, text);
  utimesSync(file, seconds, seconds);
}

test('a certificate whose files change is used without a restart', async (t) => {
  const folder = t.testdir({});
  const { clock, used, lines, watch } = watchIn(folder);
  clock.advance(LOOK_MS);
  t.equal(used.length, 0, 'unchanged');
  const next = certificateIn(folder);
  clock.advance(LOOK_MS - 1);
  t.equal(used.length, 0);
  clock.advance(1);
  t.strictSame(used, [next]);
  clock.advance(LOOK_MS);
  t.equal(used.length, 1, 'once');
  t.strictSame(lines, ['the TLS certificate was renewed']);
  watch.stop();
  t.equal(clock.timers(), 0);
});

test('between the writes of the two files, the old certificate stays in use and nothing is reported', async (t) => {
  const folder = t.testdir({});
  const { clock, current, used, lines } = watchIn(folder);
  const { cert, key } = selfSigned('localhost');
  rewrite(current.files.cert, cert, 1);
  clock.advance(LOOK_MS);
  rewrite(current.files.key, key, 2);
  clock.advance(LOOK_MS);
  t.equal(used.length, 1);
  t.strictSame(lines, ['the TLS certificate was renewed']);
});

test('files that cannot be used are reported once', async (t) => {
  const folder = t.testdir({});
  const { clock, current, used, lines, watch } = watchIn(folder);
  rmSync(current.files.key);
  for (let look = 0; look < 5; look += 1) clock.advance(LOOK_MS);
  t.equal(used.length, 0);
  t.match(lines, [/^the TLS certificate was not renewed: tls\.key: ENOENT/]);
  t.throws(() => watch.reload(), { name: 'TlsError' });
  writeCertificate(folder);
  clock.advance(LOOK_MS);
  t.equal(used.length, 1);
  t.match(lines, [/not renewed/, /was renewed/]);
});

test('a folder that becomes a file is reported once, and the old certificate stays', async (t) => {
  const folder = t.testdir({ tls: {} });
  const tls = join(folder, 'tls');
  const { clock, used, lines } = watchIn(tls);
  clock.advance(LOOK_MS);
  renameSync(tls, join(folder, 'away'));
  writeFileSync(tls, '');
  for (let look = 0; look < 5; look += 1) clock.advance(LOOK_MS);
  t.match(lines, [/^the TLS certificate was not renewed: tls\.cert: ENOTDIR/]);
  t.equal(lines.length, 1);
  t.equal(clock.timers(), 1, 'it still looks');
  t.equal(used.length, 0);
  rmSync(tls);
  renameSync(join(folder, 'away'), tls);
  clock.advance(LOOK_MS);
  rmSync(join(tls, 'key.pem'));
  clock.advance(LOOK_MS);
  t.equal(lines.length, 1, 'the failures are counted anew');
  clock.advance(LOOK_MS);
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
  new CertificateWatch({ current, listeners, clock, log });
  clock.advance(LOOK_MS);
  t.strictSame(used, [next]);
});

test('if an endpoint refuses a certificate, the others still use it, and the endpoint gets it again later', async (t) => {
  const folder = t.testdir({});
  const { clock, used, second, refusing, lines, watch } = watchIn(folder);
  refusing.now = true;
  const next = certificateIn(folder);
  t.throws(() => watch.reload(), { name: 'TlsError', message: '127.0.0.1:2: a reason.' });
  for (let look = 0; look < 3; look += 1) clock.advance(LOOK_MS);
  t.strictSame(used, [next], 'once');
  t.strictSame(lines, ['the TLS certificate was not renewed: 127.0.0.1:2: a reason.']);
  refusing.now = false;
  clock.advance(LOOK_MS);
  t.strictSame([used, second], [[next], [next]]);
  t.match(lines, [/not renewed/, /was renewed/]);
  refusing.now = true;
  const third = certificateIn(folder);
  t.throws(() => watch.reload());
  writeCertificate(folder, { cert: String(next.cert), key: String(next.key) });
  t.equal(watch.reload(), true, 'the files have the previous one again');
  t.strictSame([used, second], [[next, third, next], [next]]);
});

test('reload reads the files at once and returns whether the certificate is new', async (t) => {
  const folder = t.testdir({});
  const { clock, used, lines, watch } = watchIn(folder);
  t.equal(watch.reload(), false);
  writeCertificate(folder, selfSigned('localhost', '20261201000000Z'));
  t.equal(watch.reload(), true);
  clock.advance(LOOK_MS);
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
  const { clock, lines } = watchIn(t.testdir({}), '20261207000000Z');
  clock.advance(DAY_MS - 1);
  t.strictSame(lines, [], 'more than 14 days left');
  clock.advance(LOOK_MS);
  t.match(lines, [/expires at 2026-12-07/]);
  clock.advance(LOOK_MS);
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
