import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { readAddress } from '../../../../src/storage/database/postgres/address.js';
import { selfSigned } from '../../../support/certificate.js';

const base = { host: 'h', port: 5432, database: 'd' };

test('the parts of a URL', async (t) => {
  const parts = (url: string) => {
    const { ssl, ...rest } = readAddress(url, '');
    return rest;
  };
  t.strictSame(parts('postgres://h/d'), base);
  t.strictSame(parts('postgresql://u:p@h:6432/d'), { ...base, port: 6432, user: 'u', password: 'p' });
  t.strictSame(parts('postgres://u%40x:p%2F%3A%25@h/d%20e'), {
    ...base,
    user: 'u@x',
    password: 'p/:%',
    database: 'd e',
  });
  t.strictSame(parts('postgres://[::1]:1/d'), { ...base, host: '::1', port: 1 });
  t.strictSame(parts('postgres:///d?host=/run/postgresql'), { ...base, host: '/run/postgresql' });
  t.strictSame(parts('postgres://u@/d?host=/run/postgresql'), {
    ...base,
    user: 'u',
    host: '/run/postgresql',
  });
  t.strictSame(parts('postgres://u:p@:6432/d?host=/run/postgresql'), {
    ...base,
    port: 6432,
    user: 'u',
    password: 'p',
    host: '/run/postgresql',
  });
  t.strictSame(parts('postgres://%2Frun%2Fpostgresql/d'), { ...base, host: '/run/postgresql' });
});

test('TLS is verified in full by default, except on loopback and Unix sockets', async (t) => {
  const ssl = (url: string) => readAddress(url, '').ssl;
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '[::1]', '%2Frun', ''])
    t.equal(ssl(`postgres://${host}/d${host === '' ? '?host=/run' : ''}`), false, host);
  for (const host of [
    'h',
    '10.0.0.1',
    '128.0.0.1',
    '127.example',
    '127.0.0.1.example',
    '[::2]',
    'localhost.x',
  ])
    t.strictSame(ssl(`postgres://${host}/d`), { rejectUnauthorized: true }, host);
  t.equal(ssl('postgres://h/d?sslmode=disable'), false);
  t.match(ssl('postgres://h/d?sslmode=require'), {
    rejectUnauthorized: false,
    checkServerIdentity: Function,
  });
  t.strictSame(ssl('postgres://127.0.0.1/d?sslmode=verify-full'), { rejectUnauthorized: true });
});

test('with a certificate authority, require verifies the chain, and verify-full the host too', async (t) => {
  const ca = join(t.testdir(), 'ca.pem');
  const { cert } = selfSigned('localhost');
  writeFileSync(ca, cert);
  for (const mode of ['require', 'verify-ca'])
    t.match(readAddress(`postgres://h/d?sslmode=${mode}`, ca).ssl, {
      ca: cert,
      rejectUnauthorized: true,
      checkServerIdentity: Function,
    });
  t.strictSame(readAddress('postgres://h/d', ca).ssl, { ca: cert, rejectUnauthorized: true });
});

test('a wrong URL is refused in one line without the password', async (t) => {
  const wrong: Readonly<Record<string, RegExp>> = {
    'postgres://u:secret@h:port/d': /is not a URL/,
    'postgres://u:sec ret@h:1:2/d': /is not a URL/,
    'http://u:secret@h/d': /is not a URL/,
    secret: /is not a URL/,
    'postgres://u:secret@h': /must name a host and a database/,
    'postgres://u:secret@h/': /must name a host and a database/,
    'postgres://u:secret@/d': /must name a host and a database/,
    'postgres:///d': /must name a host and a database/,
    'postgres://u:secret@a,b/d': /one host/,
    'postgres://u:secret%@h/d': /percent sign/,
    'postgres://u:secret@h/d?sslmode=prefer': /must be one of disable, require, verify-ca, verify-full/,
    'postgres://u:secret@h/d?sslmode=': /must be one of/,
    'postgres://u:secret@h/d?sslmode=verify-ca': /requires store\.ca/,
    'postgres://u:secret@h/d?ssl=false': /parameter that is not supported/,
    'postgres://u:secret@h/d?password=secret': /parameter that is not supported/,
  };
  for (const [url, message] of Object.entries(wrong)) {
    const fault = caught(() => readAddress(url, ''));
    t.match(fault, message, url);
    t.match(fault, /^(sslmode(=verify-ca)? in )?store\.url [^\n]*$/);
    t.notMatch(fault, /secret/);
  }
});

test('a wrong file of the authority is refused, with its name', async (t) => {
  const folder = t.testdir({ empty: '' });
  t.match(
    caught(() => readAddress('postgres://h/d', join(folder, 'none'))),
    /^store\.ca cannot be read: ENOENT/,
  );
  t.match(
    caught(() => readAddress('postgres://h/d', join(folder, 'empty'))),
    /^store\.ca: .*empty is not a PEM/,
  );
});

function caught(read: () => unknown): string {
  try {
    read();
    return 'no error';
  } catch (error) {
    return (error as Error).message;
  }
}
