import type { Test } from 'tap';
import { certificateIn } from '../support/certificate.js';
import { EXCHANGES, type Exchange } from '../support/http/exchanges.js';
import { type RawClient, type RawResponse, request, visible } from '../support/http/raw-client.js';
import { onBoth, serve } from '../support/http/serving.js';
import { LONG } from '../support/scale.js';

/** The statuses and types of what is expected, and what becomes of the connection. */
function readExpected(expected: string) {
  const [answers = '', fate = ''] = expected.split(', ');
  const statuses = answers.match(/\d{3}( [a-z_]+)?/g) ?? [];
  return { statuses, fate };
}

function describe({ status, body }: RawResponse): string {
  const type = body.startsWith('{') ? (JSON.parse(body) as { type?: string }).type : undefined;
  return status === 200 || type === undefined ? String(status) : `${status} ${type}`;
}

/** Whether a further request is answered. */
async function fateOf(connection: RawClient): Promise<string> {
  await connection.send(request('GET', '/health'));
  return connection.response().then(
    ({ body }) => (body === '{"status":"ok"}' ? 'kept' : `answered with ${body}`),
    () => 'closed',
  );
}

async function check(t: Test, connection: RawClient, exchange: Exchange, expected: string, own: boolean) {
  const { statuses, fate } = readExpected(expected);
  const head = exchange.send.startsWith('HEAD ');
  await connection.send(Buffer.from(exchange.send, 'latin1'));
  const answers: RawResponse[] = [];
  while (answers.length < statuses.length) answers.push(await connection.response(head));
  if (fate === 'waits') {
    connection.socket.end();
    t.equal(
      `${answers.map(describe).join(' ')}${await connection.untilClosed()}`,
      statuses.join(' '),
      exchange.name,
    );
    return;
  }
  t.equal(
    `${answers.map(describe).join(' ')}, ${await fateOf(connection)}`,
    `${statuses.join(' ')}, ${fate}`,
    exchange.name,
  );
  for (const { headers } of answers) {
    t.match(headers.get('x-request-id') ?? '', own ? /^$/ : /^req_\w{24}$/, exchange.name);
    if (own) continue;
    t.equal(headers.get('content-type'), 'application/json; charset=utf-8', exchange.name);
  }
  for (const [name, value] of Object.entries(exchange.headers ?? {})) {
    t.match(answers.at(-1)?.headers.get(name), value, `${exchange.name}: ${name}`);
  }
}

const later = async () => {
  await new Promise((resolve) => setImmediate(resolve));
  return '{}';
};

for (const [group, exchanges] of Object.entries(EXCHANGES)) {
  exchangesTest(group, exchanges, false);
  if (LONG || group === 'connections') exchangesTest(group, exchanges, true);
}

function exchangesTest(group: string, exchanges: readonly Exchange[], secure: boolean): void {
  onBoth(`exchanges${secure ? ' over TLS' : ''}: ${group}`, async (t, transport) => {
    const tls = secure ? certificateIn(t.testdir({})) : null;
    const { client, unexpected, ask } = await serve(t, transport, later, { tls });
    for (const exchange of exchanges) {
      const uws = transport === 'uws';
      const expected = (uws ? exchange.uws : undefined) ?? exchange.expected;
      const own = uws && exchange.uwsAlone === true;
      const connection = await client();
      try {
        await check(t, connection, exchange, own ? expected.replace(/ [a-z_]+,/, ',') : expected, own);
      } catch (error) {
        t.fail(`${exchange.name}: ${(error as Error).message} to ${visible(Buffer.from(exchange.send))}`);
      }
      connection.destroy();
    }
    t.equal((await ask(request('GET', '/health'))).status, 200);
    t.strictSame(unexpected, []);
  });
}
