import { Catalog, readManifest } from '../engine/index.js';
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
    else for (const row of rows) print(`${row.build}${row.default ? ' (default)' : ''}  ${row.file}`);
  });
}

/** `decider models check` */
export function checkModels(names: string[], { config, json }: Options): Promise<void> {
  return reportError(async () => {
    const settings = loadSettings(process.env, config);
    const { checkBuilds } = await import('./check-models.js');
    const checks = [];
    for await (const found of checkBuilds(settings, names, print)) {
      checks.push(found);
      if (json) continue;
      print(`${found.build}  ${found.summary}, ${found.file}`);
      print(`  profile       ${found.profile} (from the ${found.source})`);
      print(`  context       ${found.contextLength} tokens`);
      print(`  images        ${images(found.images)}`);
      print(`  temperatures  ${pairs(found.temperatures)}`);
      print(`  letters       ${pairs(found.letters)}`);
      print(`  first answer  ${JSON.stringify(found.answer)}`);
    }
    if (json) printJson(checks);
  });
}

const images = (reads: ModelCheck['images']) =>
  reads === null
    ? 'none'
    : `${reads.projector}, up to ${reads.budgets.join(', ')} tokens of ${reads.side} × ${reads.side} pixels`;

const pairs = (values: Readonly<Record<string, number>>) =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
