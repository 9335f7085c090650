import { rmSync, writeFileSync } from 'node:fs';
import { test } from 'tap';
import { type Certificate, readCertificate } from '../../src/http/index.js';
import { CertificateWatch, expiryWarning, tlsFiles } from '../../src/server/certificate.js';
import type { Log } from '../../src/telemetry/index.js';
import { certificateIn, selfSigned, writeCertificate } from '../support/certificate.js';
import { fakeClock } from '../support/fake-clock.js';

const LOOK_MS = 5_000;

/** A watch over new files whose clock the test moves. */
function watchIn(folder: string) {
  const clock = fakeClock(Date.parse('2026-11-22T00:00:00Z'));
  const current = certificateIn(folder);
  const used: Certificate[] = [];
  const lines: string[] = [];
  const line = (_: object, message: string) => void lines.push(message);
  const log = { info: line, warn: line, error: line } as unknown as Log;
  const watch = new CertificateWatch({ current, renew: (next) => used.push(next), clock, log });
  return { clock, current, used, lines, watch };
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

test('between the writes of both files, the old certificate stays and nothing is reported', async (t) => {
  const folder = t.testdir({});
  const { clock, current, used, lines } = watchIn(folder);
  const { cert, key } = selfSigned('localhost');
  writeFileSync(current.files.cert, cert);
  clock.advance(LOOK_MS);
  writeFileSync(current.files.key, key);
  clock.advance(LOOK_MS);
  t.equal(used.length, 1);
  t.strictSame(lines, ['the TLS certificate was renewed']);
});

test('files that cannot be used are reported once, until they can', async (t) => {
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

test('reload reads the files at once, and says whether they are new', async (t) => {
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
