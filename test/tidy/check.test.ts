// `npm run check` as a test, so that it runs beside the other test files.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { ROOT } from '../support/sources.js';

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

for (const command of (scripts.check as string).split(' && ')) {
  test(`npm run check: ${command}`, async (t) => {
    const [program = '', ...args] = command.split(' ');
    const run = spawnSync(join(ROOT, 'node_modules/.bin', program), args, { cwd: ROOT, encoding: 'utf8' });
    t.equal(run.status, 0, `${run.stdout}${run.stderr}`);
  });
}
