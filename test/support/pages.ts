import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.js';

/** Markdown pages of the project, relative to its root. */
export const PAGES: readonly string[] = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...['docs', 'src', 'examples', 'models', 'clients'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

export const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** The contents of a page's fenced code blocks of a language, in order. */
export function blocks(page: string, language: string): string[] {
  const found = read(page).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm);
  return [...found].flatMap(([, name, content]) => (name === language ? [content as string] : []));
}
