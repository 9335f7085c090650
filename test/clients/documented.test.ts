import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import tap, { test } from 'tap';
import { blocks } from '../support/pages.js';
import { startTestServer } from '../support/server.js';
import { ROOT } from '../support/sources.js';

const PAGE = 'docs/clients.md';
const server = await startTestServer(tap);
/** With the packages of the project. */
const folder = tap.testdir({ node_modules: tap.fixture('symlink', join(ROOT, 'node_modules')) });
const programs = blocks(PAGE, 'js');

test(`the programs of ${PAGE} run as they are, and have five lines besides their imports`, async (t) => {
  t.equal(programs.length, 2);
  for (const [at, code] of programs.entries()) {
    const lines = code.trim().split('\n');
    t.ok(lines.filter((line) => !/^import |^$/.test(line)).length <= 5, code);
    const file = join(folder, `program-${at}.mjs`);
    writeFileSync(file, code);
    const env = {
      PATH: process.env.PATH,
      URL: server.url,
      TOKEN: server.headers.authorization.replace('Bearer ', ''),
    };
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
    t.match(stdout, /^[01](\.\d+)?\n$/, code);
  }
});
