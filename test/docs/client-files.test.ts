import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { openApi } from '../../src/openapi/index.js';
import type { Schemas } from '../support/openapi/json-schema.js';
import { pythonTypes } from '../support/openapi/python-types.js';
import { typescriptTypes } from '../support/openapi/typescript-types.js';
import { ROOT } from '../support/sources.js';

// What is written from other files, and checked in so that a client needs no build. `DOCS=write` writes it anew.

const { schemas } = (openApi('') as { readonly components: { readonly schemas: Schemas } }).components;

/** Checks that a file has this text, or writes it. */
function checkFile(t: Test, path: string, text: string): void {
  const file = join(ROOT, path);
  if (process.env.DOCS === 'write') writeFileSync(file, text);
  t.equal(readFileSync(file, 'utf8'), text, path);
}

test('the types of the clients are those of the OpenAPI document', async (t) => {
  checkFile(t, 'src/client/api-schema.ts', typescriptTypes(schemas));
  checkFile(t, 'clients/python/decider/_types.py', pythonTypes(schemas));
});

const MODULE = 'clients/typescript/client.js';
const DECLARATIONS = 'clients/typescript/types';

test('clients/typescript/client.js is src/client in one file', async (t) => {
  const require = createRequire(import.meta.url);
  const esbuild = require.resolve(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`);
  const options = ['--bundle', '--format=esm', '--target=es2022', '--charset=utf8', '--log-level=warning'];
  const run = spawnSync(esbuild, ['src/client/index.ts', ...options], { cwd: ROOT, encoding: 'utf8' });
  t.equal(run.status, 0, run.stderr);
  t.notMatch(run.stdout, /^import /m, 'it imports nothing');
  checkFile(
    t,
    MODULE,
    `// Written from src/client: DOCS=write node dist/test/main.js docs/client-files\n${run.stdout}`,
  );
});

test('clients/typescript/types are the declarations of src/client', async (t) => {
  const folder = t.testdir();
  const options = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--incremental', 'false'];
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const args = ['-p', 'src/client/tsconfig.json', ...options, '--outDir', folder];
  const run = spawnSync(tsc, args, { cwd: ROOT, encoding: 'utf8' });
  t.equal(run.status, 0, run.stdout);
  const made = join(folder, 'client');
  const names = readdirSync(made).sort();
  if (process.env.DOCS === 'write') {
    rmSync(join(ROOT, DECLARATIONS), { recursive: true, force: true });
    mkdirSync(join(ROOT, DECLARATIONS));
  }
  for (const name of names) {
    // The oldest compiler of docs/clients.md has no parameter there.
    t.notMatch(readFileSync(join(made, name), 'utf8'), /\b(U?[Ii]nt|Float)\d+Array</, name);
    checkFile(t, join(DECLARATIONS, name), readFileSync(join(made, name), 'utf8'));
  }
  t.strictSame(readdirSync(join(ROOT, DECLARATIONS)).sort(), names);
});
