import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Questions } from '../../../src/client/index.js';
import { read } from '../pages.js';
import { ROOT } from '../sources.js';

/** Messages to a support team with their correct answers, and the recipe of docs/tasks.md that uses them. */

const FOLDER = 'test/tasks/support-messages';

/** A message and its correct answers. */
export interface SupportMessage {
  readonly state: string;
  readonly expected: { readonly [question: string]: string | boolean };
}

/** The file of one half, relative to the project. */
export const messageFile = (half: 'labelled' | 'fresh'): string => `${FOLDER}/${half}.tsv`;

/** One half of the messages. */
export function supportMessages(half: 'labelled' | 'fresh'): SupportMessage[] {
  const [head = '', ...lines] = readFileSync(join(ROOT, messageFile(half)), 'utf8')
    .trimEnd()
    .split('\n');
  const [, ...names] = head.split('\t');
  return lines.map((line) => {
    const [state = '', ...values] = line.split('\t');
    return { state, expected: Object.fromEntries(names.map((name, at) => [name, readValue(values[at])])) };
  });
}

const readValue = (text = ''): string | boolean => (/^(true|false)$/.test(text) ? text === 'true' : text);

/** The commands of the recipe, a string for each block of them. */
export function recipeBlocks(): string[] {
  const [, section = ''] = /^## Recipe\n([\s\S]*?)^## /m.exec(read('docs/tasks.md')) ?? [];
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block as string);
}

/** The task that the recipe puts. */
export function recipeTask(): { readonly questions: Questions } {
  const [, json = ''] = /<<'END'\n([\s\S]*?)^END$/m.exec(recipeBlocks().join('')) ?? [];
  return JSON.parse(json);
}
