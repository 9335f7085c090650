import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { test } from 'tap';
import { type Certificate, readCertificate } from '../../src/http/index.js';
import { certificateIn, selfSigned, writeCertificate } from '../support/certificate.js';
import { RawClient, request } from '../support/http/raw-client.js';
import { onBoth, serve } from '../support/http/serving.js';
import { scaled } from '../support/scale.js';

/** For keys: not accessible to other users. */
const OWN = { mode: 0o600 };

const fingerprint = ({ cert }: Certificate) => new X509Certificate(cert).fingerprint256;

/** The certificate of a new connection. */
async function presented(port: number): Promise<string> {
  const socket = tlsConnect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const found = socket.getPeerX509Certificate()?.fingerprint256 ?? '';
  socket.destroy();
  return found;
}

interface Sending {
  readonly port: number;
  readonly agent: Agent | false;
  readonly body: string;
}

/**
 * Sends a decision with node's own client. A request on a connection that the server closed while it was idle was not
 * answered: it is repeated once, over a connection of its own.
 */
async function decide(sent: Sending) {
  const sending = send(sent);
  try {
    return await answerOf(sending);
  } catch (error) {
    if (!sending.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    return answerOf(send({ ...sent, agent: false }));
  }
}

function send({ port, agent, body }: Sending): ClientRequest {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const path = '/v1/decide';
  const rejectUnauthorized = false;
  const options = { port, host: '127.0.0.1', path, method: 'POST', agent, headers, rejectUnauthorized };
  return httpsRequest(options).end(body);
}

async function answerOf(sending: ClientRequest) {
  const [response] = await once(sending, 'response');
  const { fingerprint256 = '' } = (response.socket as TLSSocket).getPeerX509Certificate() ?? {};
  return { status: response.statusCode as number, body: await text(response), fingerprint: fingerprint256 };
}

onBoth('a renewed certificate: new connections get it, and no request fails', async (t, transport) => {
  const folder = t.testdir({});
  const first = certificateIn(folder);
  const { server } = await serve(t, transport, async () => '{}', { tls: first });
  const agents = [new Agent({ rejectUnauthorized: false, keepAlive: true, maxSockets: 4 })];
  agents.push(new Agent({ rejectUnauthorized: false, maxCachedSessions: 0 }));
  t.teardown(() => agents.forEach((agent) => void agent.destroy()));
  let ending = false;
  const answered = new Map<string, number>();
  const failures: unknown[] = [];
  const load = async (agent: Agent) => {
    while (!ending) {
      try {
        const { status, fingerprint } = await decide({ port: server.port, agent, body: '{}' });
        if (status !== 200) failures.push(status);
        answered.set(fingerprint, (answered.get(fingerprint) ?? 0) + 1);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  const clients = agents.flatMap((agent) => [load(agent), load(agent), load(agent)]);
  for (let renewal = 0; renewal < scaled({ short: 5, long: 50 }); renewal += 1) {
    const next = certificateIn(folder);
    server.renew(next);
    t.equal(await presented(server.port), fingerprint(next));
    // Requests are answered under the new certificate too.
    while (!answered.has(fingerprint(next))) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  ending = true;
  await Promise.all(clients);
  t.strictSame(failures, []);
});

onBoth('a connection keeps its certificate and is still served after a renewal', async (t, transport) => {
  const folder = t.testdir({});
  const { server, client } = await serve(t, transport, undefined, { tls: certificateIn(folder) });
  const connection = await client();
  connection.send(request('GET', '/health'));
  t.equal((await connection.response()).status, 200);
  server.renew(certificateIn(folder));
  connection.send(request('GET', '/health'));
  t.equal((await connection.response()).status, 200);
});

onBoth('large bodies and responses over TLS', async (t, transport) => {
  const tls = certificateIn(t.testdir({}));
  const text = 'x'.repeat(scaled({ short: 2, long: 30 }) * 1024 * 1024);
  const { server } = await serve(t, transport, async ({ body }) => Buffer.from(body).toString(), { tls });
  const agent = new Agent({ ca: tls.cert, servername: 'localhost' });
  t.teardown(() => agent.destroy());
  const { status, body } = await decide({ port: server.port, agent, body: JSON.stringify(text) });
  t.equal(status, 200);
  t.ok(body === JSON.stringify(text));
});

onBoth(
  'plain HTTP on a TLS port reaches no handler, and a stop does not wait for a handshake',
  async (t, transport) => {
    const { server, ask } = await serve(t, transport, undefined, { tls: certificateIn(t.testdir({})) });
    const plain = await RawClient.connect(server.port);
    await plain.send(request('GET', '/health'));
    const answer = await plain.untilClosed();
    // uWebSockets.js closes the connection without an answer.
    if (transport === 'node') t.match(answer, /^HTTP\/1\.1 400 .*speaks HTTPS/s);
    else t.notMatch(answer, /HTTP/);
    t.equal((await ask(request('GET', '/health'))).status, 200);
    const silent = connect(server.port, '127.0.0.1');
    silent.on('error', () => {});
    await once(silent, 'connect');
    // Not once(): it rejects on a reset.
    const closed = new Promise((resolve) => silent.once('close', resolve));
    await server.stop();
    silent.resume();
    await closed;
  },
);

test('a certificate that cannot be used is an error that names the setting and the file', async (t) => {
  const folder = t.testdir({});
  const files = writeCertificate(folder);
  const none = join(folder, 'none.pem');
  writeFileSync(none, 'nothing', OWN);
  const binary = join(folder, 'binary.der');
  writeFileSync(binary, new X509Certificate(readFileSync(files.cert)).raw);
  const chain = join(folder, 'chain.pem');
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  writeFileSync(chain, `${readFileSync(files.cert)}${broken}`);
  const other = join(folder, 'other.pem');
  writeFileSync(other, selfSigned('localhost').key, OWN);
  const sealed = join(folder, 'sealed.pem');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cipher = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
  writeFileSync(sealed, privateKey.export(cipher), OWN);
  const refused = [
    [{ cert: join(folder, 'missing.pem') }, /^tls\.cert: ENOENT.*missing\.pem/],
    [{ cert: none }, /^tls\.cert: \S+none\.pem is not a certificate in PEM form\.$/],
    [{ cert: binary }, /^tls\.cert: \S+binary\.der is not a certificate in PEM form\.$/],
    [
      { cert: chain },
      /^tls\.cert, tls\.key: OpenSSL cannot use \S+chain\.pem with \S+key\.pem: .*asn1.*\.$/i,
    ],
    [{ key: none }, /^tls\.key: \S+none\.pem is not a private key in PEM form without a passphrase\.$/],
    [{ key: sealed }, /^tls\.key: \S+sealed\.pem is not a private key in PEM form without a passphrase\.$/],
    [{ key: other }, /^tls\.key: \S+other\.pem is not the key of the certificate in \S+cert\.pem\.$/],
  ] as const;
  for (const [changed, message] of refused) {
    t.throws(() => readCertificate({ ...files, ...changed }), { name: 'TlsError', message });
  }
  const open = /^tls\.key: \S+key\.pem is accessible to all users\. Change its mode to 0600 or 0640\.$/;
  for (const bit of [0o1, 0o2, 0o4]) {
    chmodSync(files.key, 0o600 | bit);
    t.throws(() => readCertificate(files), { name: 'TlsError', message: open });
  }
  chmodSync(files.key, 0o660);
  t.equal(readCertificate(files).expires, Date.parse('9999-12-31T23:59:59Z'));
});

onBoth('a renewal that the library refuses changes nothing', async (t, transport) => {
  const folder = t.testdir({});
  const tls = certificateIn(folder);
  const { server } = await serve(t, transport, undefined, { tls });
  const garbage = join(folder, 'garbage.pem');
  writeFileSync(garbage, 'nothing');
  const bytes = Buffer.from('nothing');
  const broken = { files: { cert: garbage, key: garbage }, cert: bytes, key: bytes, expires: 0 };
  const message = /^tls\.cert, tls\.key: \S+ cannot use \S+garbage\.pem with \S+garbage\.pem.*\.$/;
  t.throws(() => server.renew(broken), { name: 'TlsError', message });
  t.equal(await presented(server.port), fingerprint(tls));
  await t.rejects(serve(t, transport, undefined, { tls: broken }), { name: 'TlsError', message });
});
