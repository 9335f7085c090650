import { type Draft, option, question } from '../../../src/console/ask/ask-draft.js';
import { FIRST_DRAFT } from '../../../src/console/ask/examples.js';

/** Names and labels that a page, a program or a command line may take for something else. */
export const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '__proto__',
  'constructor',
  '\u202eevil',
  "it's",
  '"$(id)`',
  'a; type=text/html',
  '@file',
  '10',
  '2',
  'n'.repeat(1_024),
];
export const hostileDraft: Draft = {
  ...FIRST_DRAFT,
  state: "it's <b>\n$x `y` \\ \u2028",
  questions: HOSTILE.map((name) =>
    question(
      name,
      'choice',
      name,
      HOSTILE.map((label) => option(label, label)),
    ),
  ),
};
const image = {
  id: 1,
  name: '[a.png]',
  file: new Blob(['x']),
  format: 'png',
  width: 300,
  height: 300,
  source: 'a b.png',
  scaled: false,
  turned: false,
} as const;
export const imageDraft: Draft = {
  ...FIRST_DRAFT,
  state: 'See [a.png] and [a.png]',
  images: [image],
  imageBudget: 70,
};
