import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { ROOT } from '../support/sources.js';

/** A project of one source with the real `bin/decider.mjs` and `tools/build.mjs`. */
function project(t: Test, main: string) {
  // Outside the clone, whose node_modules every folder below it would see.
  const folder = mkdtempSync(join(tmpdir(), 'decider-build-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const name of ['bin', 'tools']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('package.json', readFileSync(join(ROOT, 'package.json'), 'utf8'));
  write('src/cli/main.ts', main);
  const output = (path: string) => join(folder, 'dist', path);
  return {
    folder,
    write,
    output,
    remove: (path: string) => rmSync(join(folder, path), { recursive: true }),
    run: () => spawnSync(process.execPath, [join(folder, 'bin/decider.mjs')], { encoding: 'utf8' }),
    build: () =>
      execFileSync(process.execPath, [join(folder, 'tools/build.mjs')], { encoding: 'utf8' }).trim(),
  };
}

test('build: the command never runs stale code', async (t) => {
  const { run, write } = project(t, "console.log('one' satisfies string);");
  t.match(run(), { status: 0, stdout: 'one\n' });
  write('src/cli/main.ts', 'import { two } from "./two.js";\nconsole.log(two);');
  write('src/cli/two.ts', "export const two: string = 'two';");
  t.match(run(), { status: 0, stdout: 'two\n' });
  write('src/cli/two.ts', "export const two: string = '2';");
  t.match(run(), { status: 0, stdout: '2\n' });
});

test('build: only what changed is compiled', async (t) => {
  const { build, write, output } = project(t, 'export {};');
  write('src/other.ts', 'export const other = 1;');
  t.equal(build(), 'decider: 2 files compiled, 0 deleted');
  const before = readFileSync(output('src/other.js'), 'utf8');
  t.equal(build(), '');
  write('src/cli/main.ts', 'export const main = 1;');
  t.equal(build(), 'decider: 1 files compiled, 0 deleted');
  t.equal(readFileSync(output('src/other.js'), 'utf8'), before);
  rmSync(output('src/other.js'));
  t.equal(build(), 'decider: 1 files compiled, 0 deleted');
  t.equal(readFileSync(output('src/other.js'), 'utf8'), before);
});

test('build: the output of a deleted source is deleted', async (t) => {
  const { build, write, output, remove } = project(t, 'export {};');
  write('src/old/gone.ts', 'export const gone = 1;');
  build();
  t.ok(existsSync(output('src/old/gone.js')));
  remove('src/old');
  t.equal(build(), 'decider: 0 files compiled, 2 deleted');
  t.strictSame(readdirSync(output('src/old')), []);
});

test('build: a source that does not compile is one line with its place, and leaves the old output', async (t) => {
  const { run, write } = project(t, "console.log('one');");
  run();
  write('src/cli/main.ts', 'const x: number = ;\n');
  for (const _ of ['first', 'again']) {
    const { status, stdout, stderr } = run();
    t.match({ status, stdout }, { status: 1, stdout: '' });
    t.match(stderr, /^src\/cli\/main\.ts:1: [^\n]+\n$/);
  }
  write('src/cli/main.ts', "console.log('two');\n");
  t.equal(run().stdout, 'two\n');
});

test('build: a stack trace names the line of the source', async (t) => {
  const { folder, run } = project(t, "type A = 1;\n\n\nthrow new Error('here' as string);\n");
  run();
  const main = join(folder, 'dist/src/cli/main.js');
  const { stderr } = spawnSync(process.execPath, ['--enable-source-maps', main], { encoding: 'utf8' });
  t.match(stderr, /src\/cli\/main\.ts:4:7/);
});

test('build: what a thread starts with is one file, made anew when a part of it changes', async (t) => {
  const entry = 'engine/engine-worker';
  const { build, write, output, folder, remove } = project(t, 'export {};');
  const bundle = output(`entries/${entry}.js`);
  const run = () => spawnSync(process.execPath, ['--enable-source-maps', bundle], { encoding: 'utf8' });
  write(`src/${entry}.ts`, 'import { part } from "./part.js";\n\nthrow new Error(part as string);');
  write('src/engine/part.ts', "export const part = 'one';\nexport const unused = 'unused';");
  build();
  t.match(run().stderr, /Error: one[\s\S]*src\/engine\/engine-worker\.ts:3:7/);
  t.notMatch(readFileSync(bundle, 'utf8'), /unused|import/);
  write('src/engine/part.ts', "export const part = 'two';");
  build();
  t.match(run().stderr, /Error: two/);
  rmSync(bundle);
  t.equal(build(), '');
  t.match(run().stderr, /Error: two/);
  remove(`src/${entry}.ts`);
  build();
  t.notOk(existsSync(bundle));
  t.strictSame(
    readdirSync(join(folder, 'dist')).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

test('build: a package without sources is left as it is', async (t) => {
  const { build, run, remove } = project(t, "console.log('one');");
  build();
  remove('src');
  t.equal(build(), '');
  t.equal(run().stdout, 'one\n');
});

test('build: without dependencies one line says what to do', async (t) => {
  const { run, remove } = project(t, "console.log('one');");
  remove('node_modules');
  t.match(run(), { status: 1, stderr: 'The dependencies are missing. Run: npm ci\n' });
});
