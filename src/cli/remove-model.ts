import { existsSync } from 'node:fs';
import { OperatorError } from '../base/index.js';
import {
  Catalog,
  editManifest,
  filesOf,
  type Manifest,
  readManifest,
  removeBuilds,
} from '../engine/index.js';
import { loadSettings, type Settings } from '../settings/index.js';
import { servingProcess } from '../storage/index.js';
import { checkBuilds, type ModelCheck } from './check-models.js';
import { notice, withRemedy } from './install-model.js';
import { printCheck } from './models.js';
import { type Options, printJson, reportError } from './output.js';
import { requireChangeable } from './own-models.js';
import { liesIn, namesFile, removeFile } from './place-file.js';

interface RemoveOptions extends Options {
  /** Removes the default too, a build that a server may use, and although the others fail their check. */
  readonly force?: boolean;
}

/** `decider models remove` */
export function removeModel(name: string, { config, json, force = false }: RemoveOptions): Promise<void> {
  return reportError(async () => {
    const settings = loadSettings(process.env, config);
    requireChangeable(settings);
    const folder = settings.models;
    const { manifest } = removeBuilds(await readManifest(folder), name, force);
    requireUnused(name, settings, force);
    const checks = await checkOthers(manifest, settings, name, force);
    let notices: readonly string[] = [];
    await editManifest(
      folder,
      (current) => {
        const change = removeBuilds(current, name, force);
        notices = change.notices;
        return change.manifest;
      },
      (current, after) => deleteFiles(folder, current, after),
    );
    for (const sentence of notices) notice(sentence);
    if (json) printJson(checks);
    else for (const found of checks) printCheck(found);
  });
}

/** A server loads every build of its manifest. Throws OperatorError. */
function requireUnused(name: string, { data }: Settings, force: boolean): void {
  const server = servingProcess(data);
  if (server === null) return;
  if (force) {
    notice(`The server, ${server}, keeps ${name} in memory until it stops or is reloaded.`);
    return;
  }
  throw new OperatorError(
    `${name} may be in use by the server of ${data}, ${server}. Stop it first, or give --force: the server keeps the model until it stops or is reloaded.`,
  );
}

async function checkOthers(
  manifest: Manifest,
  settings: Settings,
  name: string,
  force: boolean,
): Promise<ModelCheck[]> {
  const checks: ModelCheck[] = [];
  try {
    const catalog = new Catalog(manifest, settings.models);
    for await (const found of checkBuilds(settings, catalog, [], notice)) checks.push(found);
  } catch (error) {
    if (!force || !(error instanceof OperatorError)) {
      throw withRemedy(error, `The manifest is unchanged. To remove ${name} anyway, give --force.`);
    }
    notice(error.message);
  }
  return checks;
}

/**
 * Deletes the files that only removed builds name, if they lie in the models folder. The manifest is still locked: no
 * other command can list a file between the look at the manifest and the deletion.
 */
function deleteFiles(folder: string, before: Manifest, after: Manifest): void {
  const paths = new Catalog(before, folder).builds.flatMap((build) => filesOf(build).map(({ path }) => path));
  for (const path of new Set(paths)) {
    if (namesFile(after, folder, path) || !existsSync(path)) continue;
    if (!liesIn(folder, path)) {
      notice(`${path} is outside the models folder and was not deleted`);
      continue;
    }
    try {
      removeFile(folder, path);
      notice(`deleted ${path}`);
    } catch (error) {
      notice(`${path} is in no manifest but cannot be deleted: ${(error as Error).message}`);
    }
  }
}
