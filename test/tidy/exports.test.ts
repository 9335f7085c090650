import { test } from 'tap';
import { sources } from '../support/sources.js';

const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|interface|type|enum) (\w+)/gm;
const WORD = /\b\w+\b/g;

test('every exported name of src is used in another file', (t) => {
  const files = sources('src', 'bench', 'bundle', 'test', 'models', 'examples').filter(({ path }) =>
    /\.tsx?$/.test(path),
  );
  /** The files that contain a word; an index only passes names on. */
  const users = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    if (path.endsWith('index.ts')) continue;
    for (const [word] of text.matchAll(WORD)) users.set(word, (users.get(word) ?? new Set()).add(path));
  }
  for (const { path, text } of files.filter((file) => file.path.startsWith('src/'))) {
    for (const [, name] of text.matchAll(DECLARED)) {
      if ((users.get(name as string)?.size ?? 0) < 2)
        t.fail(`${path}: ${name} is exported and used nowhere else`);
    }
  }
  t.end();
});
