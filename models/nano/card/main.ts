/**
 * Writes `figures.json` from the archives of an evaluation, and says what the build misses of what a shipped one must have:
 *
 *     node dist/models/nano/card/main.js runs/cases runs/decider-g-nano.gguf
 *
 * The folder has `<set>.archive.jsonl` for each set, and `held.jsonl`; the other sets are in `evaluation/`.
 */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Answer, readAnswers } from './answers.js';
import { missed, missedText } from './claims.js';
import { type Figures, figuresOf, SETS, type SetName } from './figures.js';

const NANO = fileURLToPath(new URL('../../../../models/nano/', import.meta.url));

/** What was measured of the shipped build. */
export const readFigures = (): Figures => JSON.parse(readFileSync(join(NANO, 'figures.json'), 'utf8'));

function main(folder: string, file: string): void {
  const builds = new Set<string>();
  const sets = {} as Record<SetName, Answer[]>;
  for (const set of SETS) {
    const cases = set === 'held' ? join(folder, 'held.jsonl') : join(NANO, `evaluation/${set}.jsonl`);
    const { build, answers } = readAnswers(cases, join(folder, `${set}.archive.jsonl`));
    builds.add(build);
    sets[set] = answers;
  }
  const [build, ...others] = builds;
  if (build === undefined || others.length > 0) throw new Error(`answers of several builds: ${[...builds]}`);
  const figures = figuresOf(build, sets);
  writeFileSync(join(NANO, 'figures.json'), `${JSON.stringify(figures, null, 2)}\n`);
  const bytes = statSync(file).size;
  console.log(missedText(figures, bytes));
  process.exitCode = missed(figures, bytes).length === 0 ? 0 : 1;
}

const [folder, file] = process.argv.slice(2);
if (folder && file) main(folder, file);
