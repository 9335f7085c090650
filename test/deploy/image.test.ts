import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { ApiError } from '../../src/api/index.js';
import type { HttpOptions } from '../../src/http/index.js';
import { certificateIn } from '../support/certificate.js';
import { freePort } from '../support/free-port.js';
import { fakeApp, fakeCaller } from '../support/http/fake-app.js';
import { serve } from '../support/http/serving.js';
import { ROOT } from '../support/sources.js';

/** A server on a port that no other process has on any address: on another one than this server's, it might answer. */
const serveAlone = async (t: Test, options: Partial<HttpOptions> = {}) =>
  serve(t, 'node', undefined, { ...options, port: await freePort() });

/** The status of the health check of the image. */
async function health(environment: Record<string, string>): Promise<number> {
  const script = join(ROOT, 'deploy/health.mjs');
  const child = spawn(process.execPath, [script], { env: environment, stdio: 'ignore' });
  const [status] = await once(child, 'exit');
  return status;
}

test('the health check follows the port, TLS and readiness', async (t) => {
  const plain = await serveAlone(t);
  const port = { DECIDER_PORT: String(plain.port) };
  t.equal(await health(port), 0);
  const tls = certificateIn(t.testdir({}));
  const secure = await serveAlone(t, { tls });
  const securePort = { DECIDER_PORT: String(secure.port) };
  t.equal(await health({ ...securePort, DECIDER_TLS_CERT: tls.files.cert }), 0);
  t.equal(await health(securePort), 1, 'plain HTTP to a TLS port');
  await plain.server.stop();
  t.equal(await health(port), 1, 'nothing listens');
});

test('the health check asks the address that the server listens on', async (t) => {
  const other = await serveAlone(t, { host: '127.0.0.3' });
  const port = { DECIDER_PORT: String(other.port) };
  t.equal(await health({ ...port, DECIDER_HOST: '127.0.0.3' }), 0);
  t.equal(await health(port), 1);
  const ipv6 = await serve(t, 'node', undefined, { host: '::1' }).catch(() => null);
  if (ipv6 === null) t.comment('SKIPPED: no IPv6 here');
  else t.equal(await health({ DECIDER_PORT: String(ipv6.port), DECIDER_HOST: '::' }), 0);
});

test('the health check reads the file of DECIDER_CONFIG, and variables take its place', async (t) => {
  const folder = t.testdir({});
  const tls = certificateIn(folder);
  const { port } = await serveAlone(t, { tls, host: '127.0.0.3' });
  const DECIDER_CONFIG = join(folder, 'decider.json');
  const write = (settings: object | string) =>
    writeFileSync(DECIDER_CONFIG, typeof settings === 'string' ? settings : JSON.stringify(settings));
  const { cert } = tls.files;
  write({ host: '127.0.0.3', port, tls: { cert } });
  t.equal(await health({ DECIDER_CONFIG }), 0);
  t.equal(await health({ DECIDER_CONFIG, DECIDER_HOST: '127.0.0.4' }), 1, 'another address');
  write(`\uFEFF${JSON.stringify({ host: '127.0.0.4', port: 1, 'tls.cert': cert })}`);
  const variables = { DECIDER_HOST: '127.0.0.3', DECIDER_PORT: String(port) };
  t.equal(await health({ DECIDER_CONFIG, ...variables }), 0);
  for (const broken of ['null', '{']) {
    write(broken);
    t.equal(await health({ DECIDER_CONFIG, ...variables, DECIDER_TLS_CERT: cert }), 0, broken);
  }
});

test('the health check fails while models load', async (t) => {
  const app = fakeApp(() => fakeCaller(), {
    checkReady() {
      throw new ApiError('model_unavailable', 'The models are loading.');
    },
  });
  const { port } = await serve(t, 'node', undefined, { app });
  t.equal(await health({ DECIDER_PORT: String(port) }), 1);
});

test('the last stage of the image has no compiler, no tests and no root', async (t) => {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const [build = '', last = ''] = text.split(/^FROM \$\{BASE\}$/m);
  t.match(build, /rm -rf \.git \.ci test bench/);
  t.notMatch(last, /g\+\+|gcc|clang|make|git\b/);
  t.notMatch(last, /mkdir .*models/, 'an empty ./models would replace the embedded model');
  t.match(last, /^USER 10001$/m);
  t.match(last, /^HEALTHCHECK /m);
});
