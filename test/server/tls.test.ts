import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Test, test } from 'tap';
import { Agent, request } from 'undici';
import { exposureOf, type HostSetting } from '../../src/server/exposure.js';
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
    t.strictSame(await server.reload(server.settings), []);
    const before = new X509Certificate(readFileSync(cert)).fingerprint256;
    writeCertificate(folder);
    t.not(new X509Certificate(readFileSync(cert)).fingerprint256, before);
    t.strictSame(await server.reload(server.settings), ['tls']);
    await ask(trusting(t, cert));
  },
);

test('plain HTTP on a port with TLS is answered with what to do', async (t) => {
  const { cert, key } = writeCertificate(t.testdir({}));
  const server = await startTestServer(t, {
    DECIDER_HTTP_TRANSPORT: 'node',
    DECIDER_TLS_CERT: cert,
    DECIDER_TLS_KEY: key,
  });
  const plain = server.url.replace('https:', 'http:');
  for (const method of ['GET', 'POST'] as const) {
    const { statusCode, headers, body } = await request(`${plain}/v1/decide`, { method });
    t.equal(statusCode, 400);
    t.match(headers, { 'x-request-id': /^req_/, connection: 'close' });
    t.match(await body.json(), { type: 'invalid_request', error: /speaks HTTPS/ });
  }
});

test('without TLS there is nothing to reload', async (t) => {
  const plain = await startTestServer(t);
  t.strictSame(await plain.reload(plain.settings), []);
});

test('an address beyond loopback needs TLS, a proxy on another machine or http.allow_plain', async (t) => {
  const http = { transport: 'auto', trusted_proxies: [], allow_plain: false } as const;
  const tls = { cert: '', key: '' };
  const secure = { cert: 'c', key: 'k' };
  for (const host of ['127.0.0.1', '::1', 'localhost'])
    t.equal(exposureOf('host', host, { http, tls }), null);
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com']) {
    for (const trusted_proxies of [[], ['127.0.0.1'], ['127.0.0.0/8', '::1']]) {
      const behind = { ...http, trusted_proxies };
      const remedy = 'a proxy on another machine in http.trusted_proxies, or set http.allow_plain.';
      const refused = (setting: HostSetting, tls: typeof secure, message: string) =>
        t.throws(() => exposureOf(setting, host, { http: behind, tls }), {
          name: 'StartError',
          message: `${setting}: ${host} is reachable by other machines, and tokens would cross the network unencrypted. ${message} ${remedy} For a proxy on this machine, listen on 127.0.0.1.`,
        });
      refused('gateway.host', tls, 'Set tls.cert and tls.key, name');
      refused('operator.host', secure, 'Name');
      t.equal(exposureOf('host', host, { http: behind, tls: secure }), null);
      t.match(exposureOf('host', host, { http: { ...behind, allow_plain: true }, tls }), {
        behindProxy: false,
        notice: /unencrypted\.$/,
      });
    }
    const named = { ...http, trusted_proxies: ['127.0.0.1', '10.0.0.1', '10.1.0.0/16'] };
    t.match(exposureOf('host', host, { http: named, tls }), {
      behindProxy: true,
      notice: /without TLS: only the proxies of http\.trusted_proxies \(10\.0\.0\.1, 10\.1\.0\.0\/16\) may/,
    });
  }
  const local = { DECIDER_HOST: '0.0.0.0', DECIDER_HTTP_TRUSTED_PROXIES: '127.0.0.1' };
  await t.rejects(startTestServer(t, local), { name: 'StartError' });
});
