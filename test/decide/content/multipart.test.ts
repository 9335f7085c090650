import { test } from 'tap';
import { LIMITS } from '../../../src/api/index.js';
import { readMultipart } from '../../../src/decide/content/multipart.js';
import { random, seedFromEnvironment } from '../../support/random.js';
import { scaled } from '../../support/scale.js';

const named = (name: string) => `Content-Disposition: form-data; name="${name}"`;
const part = (header: string, content = '') => `--b\r\n${header}\r\n\r\n${content}\r\n`;
const REQUEST = part(named('request'), '{}');
const END = '--b--\r\n';

/** The parts as text, `request` first. */
function read(body: string | Buffer, boundary = 'b'): [string, string][] {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const { request, files } = readMultipart(bytes, boundary);
  const texts = [...files].map(([name, content]): [string, string] => [name, content.toString()]);
  return [['request', request.toString()], ...texts];
}

test('the request and the files by name, in the order sent', async (t) => {
  const body = `${REQUEST}${part(named('z'), 'last\r\n')}${part(named('a'))}${END}`;
  t.strictSame(read(body), [
    ['request', '{}'],
    ['z', 'last\r\n'],
    ['a', ''],
  ]);
  t.strictSame(read(`${REQUEST}${END}`), [['request', '{}']]);
});

test('the parts are views of the body', async (t) => {
  const body = Buffer.from(`${REQUEST}${part(named('a'), 'x')}${END}`);
  const { request, files } = readMultipart(body, 'b');
  for (const view of [request, files.get('a') as Buffer]) t.equal(view.buffer, body.buffer);
});

test('what the RFCs allow around the parts', async (t) => {
  const plain = [['request', '{}']];
  for (const body of [
    `${REQUEST}--b--`,
    `${REQUEST}--b-- \t`,
    `${REQUEST}--b--\r\nan epilogue\r\n--b\r\n`,
    `\r\n${REQUEST}${END}`,
    `a preamble, --b not at a line's start\r\n${REQUEST}${END}`,
    `--b \t \r\n${named('request')}\r\n\r\n{}\r\n${END}`,
  ]) {
    t.strictSame(read(body), plain, JSON.stringify(body));
  }
  t.strictSame(
    read(`--b\r\n${named('request')}\r\n\r\n--b--`),
    [['request', '']],
    'a part that is all header',
  );
});

test('how a part can be named', async (t) => {
  for (const [header, name] of [
    ['content-disposition:form-data;name=cat', 'cat'],
    ['CONTENT-DISPOSITION: \tForm-Data ; filename="x;name=\\"y" ; NAME="cat" \t', 'cat'],
    [`Content-Type: image/png\r\n${named('cat')}; filename*=UTF-8''x\r\nX-Other: 1`, 'cat'],
    [named('Kätzchen 🐈'), 'Kätzchen 🐈'],
    [named('a\\"b\\\\c\\d'), 'a"b\\c\\d'],
    [named('a%22b%0d%0Ac%20d%'), 'a"b\r\nc%20d%'],
    [named('__proto__'), '__proto__'],
    [`Content-Transfer-Encoding: BINARY\r\n${named('cat')}`, 'cat'],
    [`X: a\tb\r\n${named('cat')}`, 'cat'],
    [`${named('cat')};`, 'cat'],
    [`${named('cat')} ; \t`, 'cat'],
    ['Content-Disposition: form-data;; name="cat"; filename="x";', 'cat'],
  ] as const) {
    t.strictSame(read(`${REQUEST}${part(header, 'x')}${END}`)[1], [name, 'x'], header);
  }
});

test('a file name, a content type or another field may be in any encoding', async (t) => {
  for (const name of ['cat', 'Kätzchen 🐈']) {
    for (const encoded of [
      [0x63, 0x61, 0x66, 0xe9],
      [0x95, 0x5c, 0x8e, 0xa6],
      [0x80, 0x85, 0x9f],
      [0xc3],
      [0xff, 0xfe],
    ]) {
      const bytes = Buffer.from(encoded);
      for (const [before, after] of [
        [`${named(name)}; filename="`, '.jpg"'],
        ['Content-Disposition: form-data; filename="', `.jpg"; name="${name}"`],
        [`${named(name)}\r\nContent-Type: image/png; name="`, '"'],
        ['Content-Description: ', `\r\n${named(name)}`],
      ] as const) {
        const header = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
        const body = Buffer.concat([
          Buffer.from(`${REQUEST}--b\r\n`),
          header,
          Buffer.from(`\r\n\r\nx\r\n${END}`),
        ]);
        t.strictSame(read(body)[1], [name, 'x'], `${before}${encoded}${after}`);
      }
    }
  }
});

test('bad_multipart: a header that names no part', async (t) => {
  for (const [header, message] of [
    ['', /not a header field|no Content-Disposition/],
    ['Content-Type: image/png', /no Content-Disposition/],
    ['Content-Disposition: form-data', /no name/],
    ['Content-Disposition: form-data; filename="a"', /no name/],
    [named(''), /no name/],
    ['Content-Disposition: form-data; name=', /cannot be read/],
    ['Content-Disposition: form-data; name="a', /cannot be read/],
    ['Content-Disposition: form-data; name="a"b', /cannot be read/],
    ['Content-Disposition: form-data name="a"', /cannot be read/],
    ['Content-Disposition: form-data; name="a"; name="a"', /more than one name/],
    [`${named('a')}\r\n${named('a')}`, /more than one Content-Disposition/],
    ['Content-Disposition: attachment; name="a"', /not form-data/],
    ['Content-Disposition: form-dataX; name="a"', /cannot be read/],
    [`${named('a')}\r\nContent-Transfer-Encoding: base64`, /Content-Transfer-Encoding/],
    [`Content-Type:\r\n image/png\r\n${named('a')}`, /not a header field/],
    [`no colon\r\n${named('a')}`, /not a header field/],
    [`Name With Spaces: x\r\n${named('a')}`, /not a header field/],
    [`X: a\nb\r\n${named('a')}`, /not a header field/],
    [`X: a\rb\r\n${named('a')}`, /not a header field/],
    [`X: a\0b\r\n${named('a')}`, /not a header field/],
  ] as const) {
    t.throws(() => read(`${REQUEST}${part(header)}${END}`), { type: 'bad_multipart', message }, header);
  }
  const latin1 = Buffer.from(`${REQUEST}${part(named('é'))}${END}`, 'latin1');
  t.throws(() => read(latin1), { type: 'bad_multipart', message: /UTF-8/ });
});

test('bad_multipart: delimiters', async (t) => {
  for (const [body, message] of [
    ['', /does not occur/],
    ['{"state":1}', /does not occur/],
    [`${REQUEST}${END}`.replaceAll('\r\n', '\n'), /followed by other text/],
    [`x\n${REQUEST}${END}`, /inside the header|not a header field|first part|boundary/],
    [REQUEST, /final boundary is missing/],
    [`${REQUEST}--b`, /final boundary is missing/],
    [`${REQUEST}--b-`, /followed by other text/],
    [`${REQUEST}--b\r`, /followed by other text/],
    [`${REQUEST}--b\r\n`, /inside the header/],
    [`${REQUEST}--b\r\n${named('a')}\r\n`, /inside the header/],
    [`${REQUEST}--b--x`, /followed by other text/],
    [`${REQUEST}--b--\n`, /followed by other text/],
    [`${REQUEST}--bc\r\n`, /followed by other text/],
    [`--b\r\n${named('request')}\r\n\r\n{}--b--`, /final boundary is missing/],
    [END, /first part must be named `request`/],
  ] as const) {
    t.throws(() => read(body), { type: 'bad_multipart', message }, JSON.stringify(body));
  }
});

test('bad_multipart: the first part is the request, and every name is given once', async (t) => {
  const [a, b] = [part(named('a'), '1'), part(named('b'), '2')];
  t.throws(() => read(`${a}${REQUEST}${END}`), {
    type: 'bad_multipart',
    message: /first part must be named/,
  });
  t.throws(() => read(`${part(named('Request'))}${END}`), { type: 'bad_multipart', message: /first part/ });
  t.throws(() => read(`${REQUEST}${REQUEST}${END}`), { type: 'bad_multipart', message: /named "request"/ });
  t.throws(() => read(`${REQUEST}${a}${b}${a}${END}`), { type: 'bad_multipart', message: /named "a"/ });
});

test('bad_multipart: more parts, or more header, than the limits', async (t) => {
  const files = (count: number) => Array.from({ length: count }, (_, at) => part(named(`f${at}`))).join('');
  t.equal(read(`${REQUEST}${files(LIMITS.multipartParts - 1)}${END}`).length, LIMITS.multipartParts);
  t.throws(() => read(`${REQUEST}${files(LIMITS.multipartParts)}${END}`), {
    type: 'bad_multipart',
    message: /64 parts/,
  });
  const start = `${named('a')}\r\nX:`;
  const padded = (bytes: number) => part(start + 'x'.repeat(bytes - start.length - 2));
  t.equal(read(`${REQUEST}${padded(LIMITS.multipartHeaderBytes)}${END}`).length, 2);
  for (const bytes of [LIMITS.multipartHeaderBytes + 1, 1_000_000]) {
    const body = `${REQUEST}${padded(bytes)}${END}`;
    t.throws(() => read(body), { type: 'bad_multipart', message: /8192 bytes/ });
  }
  const lines = part(`${'a:\r\n'.repeat(1_000_000)}${named('a')}`);
  t.throws(() => read(`${REQUEST}${lines}${END}`), { type: 'bad_multipart', message: /8192 bytes/ });
});

test('1,000 bodies as written are read back', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const { integer, pick } = random(seed);
  // Near misses of the delimiter, which is CR LF and `--b-b`.
  const pieces = [
    '\r',
    '\n',
    '\r\n',
    '--',
    '-',
    'b',
    '--b',
    '--b-',
    '\r\n--b',
    '\r\n--b-',
    '\r\n-',
    '\0',
    'é',
    '--b-b',
  ];
  const content = () => {
    const text = Array.from({ length: integer(12) }, () => pick(pieces)).join('');
    return /(^|\r\n)--b-b/.test(text) ? '' : text;
  };
  for (let round = 0; round < 1_000; round += 1) {
    const parts: [string, string][] = [['request', content()]];
    for (let at = integer(8); at > 0; at -= 1) parts.push([`file ${at}`, content()]);
    const body = parts.map(([name, text]) => `--b-b\r\n${named(name)}\r\n\r\n${text}\r\n`).join('');
    t.strictSame(read(`${body}--b-b--`, 'b-b'), parts, JSON.stringify(body));
  }
});

test('10,000 damaged bodies: parts, or bad_multipart', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const { integer, pick } = random(seed);
  const fragments = [
    '\r\n',
    '\n',
    '\r',
    '--b',
    '--b--',
    '\r\n--b\r\n',
    '"',
    '\\',
    ';',
    ':',
    '\0',
    '%22',
    named('a'),
  ];
  const good = `${REQUEST}${part(`${named('a')}; filename="a.png"\r\nContent-Type: image/png`, 'data')}${END}`;
  let readable = 0;
  for (let round = 0; round < scaled({ short: 2_000, long: 10_000 }); round += 1) {
    let body = good;
    for (let times = 1 + integer(3); times > 0; times -= 1) {
      const at = integer(body.length + 1);
      body = body.slice(0, at) + pick([...fragments, '']) + body.slice(at + pick([0, 0, 1, 5]));
    }
    try {
      read(body);
      readable += 1;
    } catch (error) {
      if ((error as { type?: string }).type !== 'bad_multipart')
        t.fail(`${error} for ${JSON.stringify(body)}`);
    }
  }
  t.comment(`${readable} were readable`);
});
