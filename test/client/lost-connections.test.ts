import { type Test, test } from 'tap';
import { type Decider, DeciderError, noul } from '../../src/client/index.js';
import { chunked, hastyClient, rawStub, refusal, response } from '../support/client/raw-stub.js';
import { freePort } from '../support/free-port.js';
import { scaled } from '../support/scale.js';

const ANSWER = JSON.stringify({
  model: 'm-20260101',
  answers: { q: { type: 'noul', noul: 0.9 } },
  usage: { input_tokens: 9, output_tokens: 1 },
});
const REQUEST = { state: 'x', questions: { q: noul('Is it?') } };

/** Bytes between two cuts. */
const STEP = scaled({ short: 3, long: 1 });
const cuts = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / STEP) }, (_, at) => text.slice(0, at * STEP));

/** The error that a decision ends with. */
async function failed(t: Test, decider: Decider): Promise<DeciderError> {
  const error = await decider.decide(REQUEST).then(
    () => null,
    (thrown) => thrown,
  );
  t.ok(error instanceof DeciderError, String(error));
  return error as DeciderError;
}

test('a decision whose response is cut off at any byte is sent once', async (t) => {
  for (const whole of [response(ANSWER), chunked([ANSWER.slice(0, 20), ANSWER.slice(20)])]) {
    for (const cut of cuts(whole).filter(({ length }) => length < whole.lastIndexOf('}'))) {
      const { url, requests } = await rawStub(t, cut);
      const { type, outcomeUnknown } = await failed(t, hastyClient(url).decider);
      // Node takes a connection that was cut for the end of a response with `Connection: close`.
      t.match(type, /^(connection_lost|invalid_response)$/);
      t.strictSame([outcomeUnknown, requests.length], [true, 1], `at ${cut.length}`);
    }
    const { url } = await rawStub(t, whole);
    t.equal((await hastyClient(url).decider.decide(REQUEST)).answers.q.noul, 0.9);
  }
});

test('an error that is cut off within its body may be that of a proxy', async (t) => {
  for (const [status, sent] of [
    ['500 Internal Server Error', 1],
    ['429 Too Many Requests', 2],
  ] as const) {
    const whole = refusal('internal_error', status);
    const [head, end] = [whole.indexOf('\r\n\r\n') + 4, whole.lastIndexOf('}')];
    for (const cut of cuts(whole).filter(({ length }) => length >= head && length <= end)) {
      const { url, requests } = await rawStub(t, cut, response(ANSWER));
      if (sent === 1) t.equal((await failed(t, hastyClient(url).decider)).outcomeUnknown, true);
      else await hastyClient(url).decider.decide(REQUEST);
      t.equal(requests.length, sent);
    }
  }
});

test('reads and submissions that are cut off at any byte are sent again, a submission with the same key', async (t) => {
  const limits = response('{"object":"limits"}');
  for (const cut of [...cuts(limits), refusal('outcome_unknown', '502 Bad Gateway'), response('<html>')]) {
    const { url, requests } = await rawStub(t, cut, limits);
    t.equal((await hastyClient(url).decider.limits()).object, 'limits');
    t.equal(requests.length, 2);
  }
  const batch = response('{"id":"batch_1"}');
  for (const cut of cuts(batch)) {
    const { url, requests } = await rawStub(t, cut, batch);
    const lines = [{ ...REQUEST, custom_id: 'a', model: 'm' }];
    t.equal((await hastyClient(url).decider.batches.submit(lines)).id, 'batch_1');
    const [first = '', second] = requests;
    t.match(first, /\r\nidempotency-key: [0-9a-f]{32}\r\n/);
    t.equal(second, first);
  }
});

test('a server that is not there gets a decision later', async (t) => {
  const { decider, waits } = hastyClient(`http://127.0.0.1:${await freePort()}`);
  const { type, outcomeUnknown } = await failed(t, decider);
  t.strictSame([type, outcomeUnknown, waits], ['unreachable', false, [500, 1_000]]);
});

test('what never gets there is not sent again', async (t) => {
  const { decider, waits } = hastyClient('http://127.0.0.1:1');
  t.match(await failed(t, decider), { type: 'unreachable', isTemporary: false });
  t.strictSame(waits, [], 'a port to which fetch sends nothing');
});

test('a response before the body was read', async (t) => {
  const { url } = await rawStub(t, refusal('body_too_large', '413 Payload Too Large'));
  t.match(await failed(t, hastyClient(url).decider), { type: 'body_too_large', status: 413 });
});

test('a success that is not of this interface, an error page and a redirect', async (t) => {
  for (const body of ['<html>', '[]', 'null', '{"ok":true}', '']) {
    const { url, requests } = await rawStub(t, response(body));
    const { type, outcomeUnknown } = await failed(t, hastyClient(url).decider);
    t.strictSame([type, outcomeUnknown, requests.length], ['invalid_response', true, 1], body);
  }
  const pages = [
    response('<html>', '403 Forbidden'),
    response('', '307 Redirect', 'Location: http://a/\r\n'),
  ];
  for (const page of pages) {
    const { url, requests } = await rawStub(t, page);
    t.equal((await failed(t, hastyClient(url).decider)).type, 'unknown');
    t.equal(requests.length, 1);
  }
});
