import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'tap';
import { PAGES, read } from '../support/pages.js';
import { ROOMS } from '../support/rooms.js';
import { ROOT } from '../support/sources.js';

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[`*]/g, '')
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

function anchors(page: string): Set<string> {
  const text = read(page).replace(/^```[\s\S]*?^```$/gm, '');
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map((match) => anchorOf(match[1] as string));
  const named = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map((match) => match[1] as string);
  return new Set([...headings, ...named]);
}

for (const page of PAGES) {
  test(`every link of ${page} leads somewhere`, async (t) => {
    for (const [, link] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link as string)) continue;
      const [path = '', anchor] = (link as string).split('#');
      const target = path === '' ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(ROOT, target))) t.fail(`${page} links to ${link}`);
      else if (anchor !== undefined && statSync(join(ROOT, target)).isFile()) {
        t.ok(anchors(target).has(anchor), `${page} links to ${link}`);
      }
    }
  });
}

test('every page of docs is listed in the README', async (t) => {
  const readme = read('README.md');
  for (const page of PAGES.filter((name) => name.startsWith('docs/'))) t.match(readme, `](${page})`);
});

test('every npm script that a page names exists', async (t) => {
  const { scripts } = JSON.parse(read('package.json'));
  for (const page of PAGES) {
    for (const [, name] of read(page).matchAll(/npm run ([\w:]+)/g)) {
      t.ok((name as string) in scripts, `${page}: npm run ${name}`);
    }
  }
});

test('docs/architecture.md lists the rooms in the order of the flow', async (t) => {
  const [, section] = read('docs/architecture.md').split(/^## Rooms$|^## Storage$/m);
  t.strictSame(section?.match(/(?<=^\| `)\w+(?=\/` +\|)/gm), ROOMS);
});

test('docs/performance.md lists every benchmark', async (t) => {
  const { scripts } = JSON.parse(read('package.json'));
  const benchmarks = Object.keys(scripts).filter((name) => name.startsWith('bench:'));
  const listed = read('docs/performance.md').match(/(?<=^\| `npm run )bench:\w+/gm) ?? [];
  t.strictSame([...listed].sort(), benchmarks.sort());
});

test('every path of the repository that a page names exists', async (t) => {
  for (const page of PAGES) {
    const named = read(page).matchAll(/`((?:src|test|bench|models|native|examples|docs|dist)\/[\w./-]+)`/g);
    for (const [, path] of named) t.ok(existsSync(join(ROOT, path as string)), `${page}: ${path}`);
  }
});
