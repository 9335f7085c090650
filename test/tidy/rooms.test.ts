import { test } from 'tap';
import { type Source, sources } from '../support/sources.js';

/** The rooms in the order of the flow: a room imports only from those behind it. */
const ROOMS = [
  'console',
  'cli',
  'evaluation',
  'load',
  'hub',
  'server',
  'cluster',
  'http',
  'batch',
  'decide',
  'images',
  'engine',
  'settings',
  'postgres',
  'access',
  'store',
  'client',
  'report',
  'openapi',
  'telemetry',
  'api',
  'base',
] as const;
/** Rooms that import nothing of ours. */
const LEAVES = ['telemetry', 'api', 'base'];

const src = sources('src');
const roomOf = (path: string) => path.split('/')[1] as (typeof ROOMS)[number];

test('every folder of src is a room', async (t) => {
  for (const { path } of src) t.ok(ROOMS.includes(roomOf(path)), path);
});

test('imports go downward only', async (t) => {
  for (const { path, imports } of src) {
    for (const target of imports.filter((file) => file.startsWith('src/'))) {
      const [from, to] = [roomOf(path), roomOf(target)];
      const down = ROOMS.indexOf(from) <= ROOMS.indexOf(to) && !(LEAVES.includes(from) && from !== to);
      t.ok(down, `${path} imports ${target}`);
    }
  }
});

test('a room is entered through its index', async (t) => {
  for (const { path, imports } of src) {
    for (const target of imports.filter((file) => file.startsWith('src/'))) {
      if (roomOf(path) === roomOf(target)) continue;
      t.match(target, /^src\/\w+\/index\.ts$/, `${path} imports ${target}`);
    }
  }
});

test('no cycles', async (t) => {
  const byPath = new Map(src.map((source) => [source.path, source]));
  const done = new Set<string>();
  const visit = (source: Source, above: readonly string[]): void => {
    if (above.includes(source.path)) t.fail([...above, source.path].join(' → '));
    if (done.has(source.path)) return;
    done.add(source.path);
    for (const target of source.imports) {
      const next = byPath.get(target);
      if (next !== undefined) visit(next, [...above, source.path]);
    }
  };
  for (const source of src) visit(source, []);
  t.equal(done.size, src.length);
});

test('only the engine imports the addon, only through its loader', async (t) => {
  for (const { path, text } of src) {
    const imports = /import (?!type)[^;]*#native/.test(text);
    t.ok(!imports || path.startsWith('src/engine/addon/'), path);
  }
});
