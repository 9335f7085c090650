import { chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { type DatabaseUnavailable, statement } from '../../../../src/storage/database/index.js';
import { listen } from '../../../../src/storage/database/postgres/listen.js';
import { selfSigned, writeCertificate } from '../../../support/certificate.js';
import { connectTo, NEEDS_POSTGRES, PostgresServer } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

const ENCRYPTED = statement('encrypted', 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');

test('TLS to the database', NEEDS_POSTGRES, async (t) => {
  const server = await PostgresServer.create();
  t.teardown(() => server.remove());
  const { uid, gid } = statSync(server.folder);
  const serve = async (certificate: { readonly key: string; readonly cert: string }) => {
    const files = writeCertificate(server.folder, certificate);
    for (const file of [files.cert, files.key]) chownSync(file, uid, gid);
    await server.run('SELECT pg_reload_conf()');
  };
  const certificate = selfSigned('localhost');
  await serve(certificate);
  await server.run(`ALTER SYSTEM SET ssl_cert_file = '${join(server.folder, 'cert.pem')}'`);
  await server.run(`ALTER SYSTEM SET ssl_key_file = '${join(server.folder, 'key.pem')}'`);
  await server.run('ALTER SYSTEM SET ssl = on');
  await server.run('SELECT pg_reload_conf()');

  const folder = t.testdir();
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, certificate.cert);
  const other = join(folder, 'other.pem');
  writeFileSync(other, selfSigned('localhost').cert);

  const url = (sslmode: string, host = 'localhost') =>
    server.url('postgres', { host, parameters: `?sslmode=${sslmode}` });
  await until(async () => (await encrypted(url('require'))) === true);
  async function encrypted(address: string, file = ''): Promise<boolean | string> {
    const database = connectTo(t, address, { ca: file });
    try {
      return (await database.query<{ ssl: boolean }>(ENCRYPTED))[0]?.ssl ?? 'no row';
    } catch (error) {
      t.equal((error as Error).name, 'DatabaseUnavailable');
      return (error as DatabaseUnavailable).code;
    } finally {
      await database.close();
    }
  }
  t.equal(await encrypted(url('disable')), false);
  t.equal(await encrypted(url('verify-full'), ca), true);
  t.equal(await encrypted(url('verify-ca', '127.0.0.1'), ca), true);
  t.equal(await encrypted(url('require', '127.0.0.1'), ca), true);
  t.equal(await encrypted(url('require', '127.0.0.1')), true, 'not verified without store.ca');
  t.equal(await encrypted(url('verify-full', '127.0.0.1'), ca), 'ERR_TLS_CERT_ALTNAME_INVALID');
  t.equal(await encrypted(url('verify-full')), 'DEPTH_ZERO_SELF_SIGNED_CERT');
  for (const mode of ['require', 'verify-ca', 'verify-full'])
    t.equal(await encrypted(url(mode), other), 'DEPTH_ZERO_SELF_SIGNED_CERT', mode);

  let connected = false;
  const stop = listen(connectTo(t, url('verify-full'), { ca }), ['changes'], () => {
    connected = true;
  });
  await until(() => connected);
  await stop();

  const expired = selfSigned('localhost', '20210101000000Z');
  await serve(expired);
  writeFileSync(ca, expired.cert);
  await until(async () => (await encrypted(url('verify-full'), ca)) === 'CERT_HAS_EXPIRED');
});
