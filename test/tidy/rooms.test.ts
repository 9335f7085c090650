import { test } from 'tap';
import { ROOMS } from '../support/rooms.js';
import { type Source, sources } from '../support/sources.js';

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

/** The parts of `storage/`, in the order of the flow. */
const STORAGE = ['', 'move', 'folder', 'database', 'storage.ts', 'administration', 'data-folder'];
/** Parts that know nothing of each other: where the data are is decided above them. */
const APART = ['folder', 'database'];

test('the storages know nothing of each other, and imports between the parts go downward', async (t) => {
  const partOf = (path: string) => {
    const name = /^src\/storage\/(storage\.ts$|[\w-]+(?=\/))/.exec(path)?.[1] ?? '';
    if (!STORAGE.includes(name)) t.fail(`${path} belongs to no part`);
    return name;
  };
  for (const { path, imports } of src.filter((source) => roomOf(source.path) === 'storage')) {
    for (const target of imports.filter((file) => file.startsWith('src/storage/'))) {
      const [from, to] = [partOf(path), partOf(target)];
      const isApart = from !== to && APART.includes(from) && APART.includes(to);
      t.ok(STORAGE.indexOf(from) <= STORAGE.indexOf(to) && !isApart, `${path} imports ${target}`);
    }
  }
});

/** Of the storages, commands load one, and the batches in it only where they need them. */
const INDEX = /^src\/(\w+|storage\/(move|(folder|database)(\/(batches|tasks))?))\/index\.ts$/;

test('a room is entered through its index', async (t) => {
  for (const { path, imports } of src) {
    for (const target of imports.filter((file) => file.startsWith('src/'))) {
      if (roomOf(path) === roomOf(target)) continue;
      t.match(target, INDEX, `${path} imports ${target}`);
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
