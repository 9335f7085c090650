import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import tap, { type Test, test } from 'tap';
import { otherNodes } from '../support/other-nodes.js';
import { blocks, read } from '../support/pages.js';
import { ROOT } from '../support/sources.js';
import { startExampleServer } from './examples-server.js';

// docs/clients.md: its lines are run as they stand, in an empty folder.

const LINES_MAX = 9;
const KINDS = ['decide', 'image', 'batch', 'errors'] as const;
const PYTHON = spawnSync('python3', ['--version']).status === 0;
const noPython = PYTHON ? false : 'PYTHON 3 IS NOT INSTALLED: the lines in Python were NOT tested';
if (!PYTHON) process.stderr.write(`\n*** ${noPython} ***\n\n`);

const NODES = otherNodes();
const run = promisify(execFile);
const text = await startExampleServer(tap);
const images = await startExampleServer(tap, 'models/random');

/** An empty folder with what the docs install. */
function emptyFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'decider-client-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  copyFileSync(join(ROOT, 'examples/parcel.png'), join(folder, 'parcel.png'));
  return folder;
}

/** What a kind of lines prints. */
const PRINTED = {
  decide: /^(true|false) (billing|technical)\n$/i,
  image: /^[01](\.\d+)?\n$/,
  batch: /^case-0 [01](\.\d+)?\ncase-1 [01](\.\d+)?\n$/,
  errors: /^unauthorized 401 false\n$/i,
} as const;

async function printed(
  kind: (typeof KINDS)[number],
  folder: string,
  command: string,
  args: readonly string[],
  more = {},
) {
  const { url, headers } = kind === 'image' ? images : text;
  const TOKEN = headers.authorization.replace('Bearer ', '');
  const env = { ...process.env, ...more, URL: url, TOKEN };
  return (await run(command, args, { cwd: folder, env })).stdout;
}

test('lines of the docs are at most nine, and the same in TypeScript and Python', async (t) => {
  for (const language of ['ts', 'python']) {
    const found = blocks('docs/clients.md', language);
    t.equal(found.length, KINDS.length);
    for (const lines of found) t.ok(lines.trimEnd().split('\n').length <= LINES_MAX, lines);
  }
});

test('TypeScript, installed in an empty folder without a network', async (t) => {
  const folder = emptyFolder(t);
  const npm = (...args: string[]) =>
    run('npm', [...args, '--offline', '--no-audit', '--no-fund'], { cwd: folder });
  await npm('init', '--yes');
  await npm('install', join(ROOT, 'clients/typescript'));
  const found = blocks('docs/clients.md', 'ts');
  for (const [at, kind] of KINDS.entries()) {
    writeFileSync(join(folder, `${kind}.mjs`), found[at] as string);
    t.match(await printed(kind, folder, process.execPath, [`${kind}.mjs`]), PRINTED[kind], kind);
    writeFileSync(join(folder, `${kind}.mts`), found[at] as string);
    for (const { version, program } of NODES)
      t.match(
        await printed(kind, folder, program, [`${kind}.mjs`]),
        PRINTED[kind],
        `${kind} on Node ${version}`,
      );
  }
  symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  const options = {
    strict: true,
    module: 'nodenext',
    target: 'es2022',
    noEmit: true,
    types: ['node'],
    lib: ['es2023'],
  };
  const all = { ...options, noUncheckedIndexedAccess: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: all, include: ['*.mts'] }));
  const { stdout, status } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], {
    encoding: 'utf8',
  });
  t.equal(status, 0, stdout);
});

test('Python, in an empty folder', { skip: noPython }, async (t) => {
  const folder = emptyFolder(t);
  const found = blocks('docs/clients.md', 'python');
  for (const [at, kind] of KINDS.entries()) {
    writeFileSync(join(folder, `${kind}.py`), found[at] as string);
    const path = { PYTHONPATH: join(ROOT, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' };
    t.match(await printed(kind, folder, 'python3', [`${kind}.py`], path), PRINTED[kind], kind);
  }
  const [lines = ''] = blocks('clients/python/README.md', 'python');
  writeFileSync(join(folder, 'readme.py'), lines);
  const path = { PYTHONPATH: join(ROOT, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' };
  t.match(await printed('decide', folder, 'python3', ['readme.py'], path), PRINTED.decide);
});

test('the versions of the clients are that of the server', async (t) => {
  const { version } = JSON.parse(read('package.json'));
  t.equal(JSON.parse(read('clients/typescript/package.json')).version, version);
  t.match(read('clients/python/pyproject.toml'), `\nversion = "${version}"\n`);
});
