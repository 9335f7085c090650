import { mutateBytes } from '../../support/decide/mutations.js';
import type { Random } from '../../support/random.js';
import { oneIn, weighted } from './chance.js';

interface Part {
  readonly header: string;
  readonly content: Buffer;
}

/** A multipart body and its media type, well formed or nearly. */
export function multipart(
  random: Random,
  request: Buffer,
  files: ReadonlyMap<string, Buffer>,
): { body: Buffer; type: string } {
  const boundary = random.pick([
    'b',
    'b0undary',
    '----WebKitFormBoundary7MA4YWxkTrZu0gW',
    "a'()+_,-./:=?z",
    'x'.repeat(70),
  ]);
  const parts = [
    part(random, 'request', request),
    ...[...files].map(([name, bytes]) => part(random, name, bytes)),
  ];
  if (oneIn(random, 3)) mutateParts(random, parts);
  const lineEnd = oneIn(random, 30) ? '\n' : '\r\n';
  const pieces = parts.flatMap(({ header, content }) => [
    Buffer.from(`--${boundary}${oneIn(random, 20) ? ' \t' : ''}${lineEnd}${header}${lineEnd}${lineEnd}`),
    content,
    Buffer.from(lineEnd),
  ]);
  const before = oneIn(random, 10)
    ? random.pick(['\r\n', 'preamble\r\n', '\r\n\r\n--', `--${boundary}x\r\n`])
    : '';
  const last = oneIn(random, 10)
    ? random.pick(['', `--${boundary}`, `--${boundary}-`, `--${boundary}--x`])
    : `--${boundary}--\r\n`;
  const behind = oneIn(random, 10) ? random.pick(['epilogue', `\r\n--${boundary}`, '\0']) : '';
  const whole = Buffer.concat([Buffer.from(before), ...pieces, Buffer.from(last + behind)]);
  return { body: oneIn(random, 6) ? mutateBytes(random, whole) : whole, type: mediaType(random, boundary) };
}

function part(random: Random, name: string, content: Buffer): Part {
  const disposition = `Content-Disposition: form-data; name="${name}"`;
  const header = weighted(random, [
    [8, () => disposition],
    [3, () => `${disposition}; filename="a.png"\r\nContent-Type: image/png`],
    [1, () => `content-disposition:form-data;name=${name}`],
    [1, () => `${disposition}\r\nContent-Transfer-Encoding: ${random.pick(['binary', 'base64', ''])}`],
    [
      1,
      () =>
        `${disposition}\r\n${random.pick(['noise', ': x', 'X: \x01', ' folded', 'X-Long: '.padEnd(9_000, 'x')])}`,
    ],
    [
      1,
      () =>
        `Content-Disposition: ${random.pick(['attachment', 'form-data', 'form-data; name=', 'form-data; name="a', `form-data; name="${'\\"'.repeat(500)}`])}`,
    ],
    [1, () => `${disposition}; name="${name}"`],
  ]);
  return { header, content };
}

function mutateParts(random: Random, parts: Part[]): void {
  const at = random.integer(parts.length);
  weighted<unknown>(random, [
    [1, () => parts.splice(at, 1)],
    [1, () => parts.splice(at, 0, parts[at] as Part)],
    [1, () => parts.reverse()],
    [
      1,
      () =>
        parts.push(
          part(random, random.pick(['request', 'other', 'é', '%22', '__proto__']), Buffer.from('x')),
        ),
    ],
    [
      1,
      () => {
        for (let left = random.pick([62, 63, 64, 65]); left > 0; left -= 1)
          parts.push(part(random, `p${left}`, Buffer.alloc(0)));
      },
    ],
  ]);
}

function mediaType(random: Random, boundary: string): string {
  const quoted = `multipart/form-data; boundary="${boundary}"`;
  if (!oneIn(random, 8)) return quoted;
  return random.pick([
    `multipart/form-data; boundary=${boundary}`,
    `multipart/form-data; charset=utf-8; BOUNDARY="${boundary}"`,
    `multipart/form-data; boundary="${boundary}"; boundary="${boundary}"`,
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary="${boundary}`,
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
    `multipart/mixed; boundary="${boundary}"`,
    'application/json',
  ]);
}
