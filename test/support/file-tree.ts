import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';

/** A folder with these files, by their paths, to take the place of the root of the file system. */
export function fileTree(t: Test, files: Readonly<Record<string, string>>): string {
  const root = t.testdir();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}
