import { visible } from '../base/index.js';
import { Catalog, LETTERS, readManifest, showMemory } from '../engine/index.js';
import { loadSettings } from '../settings/index.js';
import type { ModelCheck } from './check-models.js';
import { type Options, print, printJson, reportError } from './output.js';

/** `decider models list` */
export function listModels({ config, json }: Options): Promise<void> {
  return reportError(async () => {
    const { models } = loadSettings(process.env, config);
    const catalog = new Catalog(await readManifest(models), models);
    const rows = catalog.builds.map(({ id, model, path }) => ({
      build: id,
      model: model.id,
      answers_for: model.answers_for ?? [],
      default: catalog.default.id === id,
      reads_images: model.reads_images,
      file: path,
    }));
    if (json) printJson(rows);
    else
      for (const row of rows) print(visible(`${row.build}${row.default ? ' (default)' : ''}  ${row.file}`));
  });
}

/** `decider models check` */
export function checkModels(names: string[], { config, json }: Options): Promise<void> {
  return reportError(async () => {
    const settings = loadSettings(process.env, config);
    const catalog = new Catalog(await readManifest(settings.models), settings.models);
    const { checkBuilds } = await import('./check-models.js');
    const checks = [];
    for await (const found of checkBuilds(settings, catalog, names, print)) {
      checks.push(found);
      if (!json) printCheck(found);
    }
    if (json) printJson(checks);
  });
}

/** Prints the result of a check as text. */
export function printCheck(found: ModelCheck): void {
  print(visible(`${found.build}  ${found.summary}, ${found.file}`));
  print(visible(`  profile       ${found.profile} (from the ${found.source})`));
  print(visible(`  context       ${found.contextLength} tokens`));
  print(visible(`  images        ${images(found.images)}`));
  print(visible(`  temperatures  ${pairs(found.temperatures)}${fitted(found.fitted)}`));
  print(visible(`  options       ${options(found.options)}`));
  print(visible(`  labels        ${pairs(found.labels)}`));
  for (const line of memory(found)) print(visible(`  memory        ${line}`));
  print(visible(`  first answer  ${JSON.stringify(found.answer)}`));
}

const images = (reads: ModelCheck['images']) =>
  reads === null
    ? 'none'
    : `${reads.projector}, up to ${reads.budgets.join(', ')} tokens of ${reads.side} × ${reads.side} pixels`;

const options = ({ max, lettersOnly }: ModelCheck['options']) =>
  lettersOnly === null
    ? `up to ${max}: A to Z and ${max - LETTERS.length} pairs of letters`
    : `up to ${max}: ${lettersOnly}`;

const memory = ({ memory, memoryFailure }: ModelCheck): string[] =>
  memory?.map((need) => showMemory(need, need.free)) ?? [`not estimated: ${memoryFailure}`];

const fitted = (types: readonly string[]) => (types.length === 0 ? '' : ` (fitted: ${types.join(', ')})`);

const pairs = (values: Readonly<Record<string, number>>) =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
