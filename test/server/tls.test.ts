import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Test, test } from 'tap';
import { Agent, request } from 'undici';
import { isExposed } from '../../src/server/exposure.js';
import { writeCertificate } from '../support/certificate.js';
import { freePort } from '../support/free-port.js';
import { onBoth } from '../support/http/serving.js';
import { startTestServer } from '../support/server.js';

const BODY = JSON.stringify({ state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } });

/** Trusts exactly the certificate that is in the file now. */
function trusting(t: Test, file: string): Agent {
  const agent = new Agent({ connect: { ca: readFileSync(file), servername: 'localhost' } });
  t.teardown(() => agent.close());
  return agent;
}

onBoth(
  'both endpoints speak HTTPS, and use a renewed certificate without a restart',
  async (t, transport) => {
    const folder = t.testdir({});
    const { cert, key } = writeCertificate(folder);
    const server = await startTestServer(t, {
      DECIDER_HTTP_TRANSPORT: transport,
      DECIDER_TLS_CERT: cert,
      DECIDER_TLS_KEY: key,
      DECIDER_GATEWAY_PORT: String(await freePort()),
      DECIDER_GATEWAY_MODEL: 'tiny',
    });
    const ask = async (dispatcher: Agent) => {
      for (const url of server.urls) {
        t.match(url, /^https:/);
        const { headers } = server;
        const { statusCode, body } = await request(`${url}/v1/decide`, {
          dispatcher,
          method: 'POST',
          headers,
          body: BODY,
        });
        t.equal(statusCode, 200);
        t.match(await body.json(), { model: 'tiny-20260101' });
      }
    };
    await ask(trusting(t, cert));
    t.strictSame(server.reload(server.settings), []);
    const before = new X509Certificate(readFileSync(cert)).fingerprint256;
    writeCertificate(folder);
    t.not(new X509Certificate(readFileSync(cert)).fingerprint256, before);
    t.strictSame(server.reload(server.settings), ['tls']);
    await ask(trusting(t, cert));
  },
);

test('without TLS there is nothing to reload', async (t) => {
  const plain = await startTestServer(t);
  t.strictSame(plain.reload(plain.settings), []);
});

test('an address beyond loopback needs TLS, a proxy or consent', async (t) => {
  const http = { transport: 'auto', trusted_proxies: [], allow_plain: false } as const;
  const tls = { cert: '', key: '' };
  for (const host of ['127.0.0.1', '::1', 'localhost']) t.equal(isExposed(host, { http, tls }), false);
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com']) {
    const message =
      /^\S+ is reachable by other machines.*tls\.cert.*http\.trusted_proxies.*http\.allow_plain/;
    t.throws(() => isExposed(host, { http, tls }), { name: 'StartError', message });
    t.equal(isExposed(host, { http, tls: { cert: 'c', key: 'k' } }), false);
    t.equal(isExposed(host, { http: { ...http, trusted_proxies: ['10.0.0.1'] }, tls }), false);
    t.equal(isExposed(host, { http: { ...http, allow_plain: true }, tls }), true);
  }
  await t.rejects(startTestServer(t, { DECIDER_HOST: '0.0.0.0' }), { name: 'StartError' });
});
