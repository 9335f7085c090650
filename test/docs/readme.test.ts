import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Test, test } from 'tap';
import { startTestServer } from '../helpers/server.js';
import { ROOT } from '../tidy/sources.js';
import { blocks, read } from './pages.js';

const run = promisify(execFile);
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
  const server = await startTestServer(t, {}, join(ROOT, 'models'));
  const request = blocks('README.md', 'sh').find((block) => block.startsWith('curl ')) as string;
  const [answer] = blocks('README.md', 'json') as [string];
  const TOKEN = server.headers.authorization.slice('Bearer '.length);
  const command = request.replace('http://127.0.0.1:8080', server.url);
  const { stdout } = await run('bash', ['-c', `${command.trim()} --silent --fail`], {
    env: { ...process.env, TOKEN },
  });
  const [found, wanted] = [JSON.parse(stdout), JSON.parse(answer)];
  sameJson(t, found, wanted, 'response');
  t.strictSame(found.usage, wanted.usage);
});
