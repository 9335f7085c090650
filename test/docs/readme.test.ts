import { type Test, test } from 'tap';
import { blocks, read } from '../support/pages.js';
import { startExampleServer } from './examples-server.js';

const LINES_MAX = 130;
/** Probabilities of the embedded model move by less between processors. */
const TOLERANCE = 0.005;

test(`the README has at most ${LINES_MAX} lines`, async (t) => {
  t.ok(read('README.md').trimEnd().split('\n').length <= LINES_MAX);
});

/** Asserts that two JSON values are equal, numbers to within the tolerance. */
function sameJson(t: Test, found: unknown, wanted: unknown, path: string): void {
  if (typeof wanted === 'number' && !Number.isInteger(wanted)) {
    t.ok(Math.abs((found as number) - wanted) <= TOLERANCE, `${path}: ${found}, documented ${wanted}`);
  } else if (typeof wanted === 'object' && wanted !== null) {
    t.strictSame(Object.keys(found as object), Object.keys(wanted), path);
    for (const [key, value] of Object.entries(wanted)) {
      sameJson(t, (found as Record<string, unknown>)[key], value, `${path}.${key}`);
    }
  } else t.equal(found, wanted, path);
}

test('the README’s first request is answered with the documented response', async (t) => {
  const server = await startExampleServer(t);
  const request = blocks('README.md', 'sh').find((block) => block.startsWith('curl ')) as string;
  const [answer] = blocks('README.md', 'json') as [string];
  const command = request.replace('http://127.0.0.1:8080', server.url).trim();
  const printed = await server.command('bash', ['-c', `${command} --silent --fail`]);
  const [found, wanted] = [JSON.parse(printed), JSON.parse(answer)];
  sameJson(t, found, wanted, 'response');
  t.strictSame(found.usage, wanted.usage);
});
