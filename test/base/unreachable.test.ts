import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { test } from 'tap';
import { connectionFailure, unreachable } from '../../src/base/index.js';
import { selfSigned } from '../support/certificate.js';
import { freePort } from '../support/free-port.js';
import type { Owner } from '../support/owner.js';

async function listening(t: Owner, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function lineOf(url: string): Promise<string> {
  try {
    await fetch(url);
  } catch (error) {
    return unreachable(url, error);
  }
  return 'answered';
}

test('each cause of a failed connection has a line of its own', async (t) => {
  const answer: RequestListener = (_, response) => response.end();
  const plain = await listening(t, createServer(answer));
  const secure = await listening(t, createTlsServer(selfSigned('localhost'), answer));
  const closing = await listening(
    t,
    createTcpServer((socket) => socket.destroy()),
  );
  const mail = await listening(
    t,
    createTcpServer((socket) => socket.end('220 mail.example ESMTP\r\n')),
  );
  for (const [url, line] of [
    [
      `http://127.0.0.1:${await freePort()}`,
      /\(ECONNREFUSED\): the connection was refused\. Is the server running/,
    ],
    [`https://${plain}`, /: it does not speak TLS there\. .*use http:\/\//],
    [`https://${secure}`, /: its certificate is not trusted\. Set NODE_EXTRA_CA_CERTS/],
    [`http://${closing}`, /: the connection was closed before the response\./],
    [`http://${mail}`, /: it does not speak HTTP there\./],
  ] as const) {
    const found = await lineOf(url);
    t.match(found, line, url);
    t.notMatch(found, '\n');
  }
});

test('codes that need a network that fails', (t) => {
  for (const [code, sentence] of [
    ['ENOTFOUND', /name is unknown/],
    ['EAI_AGAIN', /DNS does not answer/],
    ['ENETUNREACH', /no route/],
    ['ETIMEDOUT', /in time/],
    ['UND_ERR_CONNECT_TIMEOUT', /in time/],
    ['CERT_HAS_EXPIRED', /has expired/],
    ['CERT_NOT_YET_VALID', /clock/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /another host name/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /not trusted/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /not trusted/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /not trusted/],
  ] as const) {
    t.match(connectionFailure(code), sentence, code);
  }
  t.equal(connectionFailure('OTHER'), null);
  t.equal(connectionFailure(null), null);
  t.equal(
    unreachable('http://a', new Error('x')),
    'url: http://a cannot be reached: the connection failed. Check the URL and the network.',
  );
  const several = Object.assign(
    new AggregateError([Object.assign(new Error(), { code: 'ENETUNREACH' })]),
    {},
  );
  t.match(unreachable('http://a', new TypeError('fetch failed', { cause: several })), /ENETUNREACH/);
  const endless: Error = new Error('a');
  endless.cause = endless;
  t.match(unreachable('http://a', endless), /the connection failed/, 'a cause that is its own');
  t.end();
});
