import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { showPrice } from '../access/index.js';
import { OperatorError } from '../base/index.js';
import {
  addBuild,
  Catalog,
  ChecksumError,
  editOrCreateManifest,
  filesOf,
  MANIFEST_FILE,
  type Manifest,
  ModelError,
  manifestFault,
  type NewBuild,
  readManifest,
} from '../engine/index.js';
import { checkMemory, prepareEngine } from '../server/index.js';
import type { Settings } from '../settings/index.js';
import { checkBuilds, type ModelCheck } from './check-models.js';
import { printCheck } from './models.js';
import { printError, printJson } from './output.js';

/** Standard output has the result only. */
export const notice = (sentence: string): void => {
  printError(sentence);
};

/**
 * The catalog as it will be with a build, the name of the build, and whether the manifest has it already. Changes
 * nothing. Throws ModelError if the manifest cannot have it.
 */
export async function planInstall(
  folder: string,
  added: NewBuild,
): Promise<{ catalog: Catalog; name: string; listed: boolean }> {
  const current = existsSync(join(folder, MANIFEST_FILE)) ? await readManifest(folder) : null;
  const { manifest, name } = addBuild(current, added);
  const fault = await manifestFault(manifest);
  if (fault !== null) throw new ModelError(`The manifest would be invalid: ${fault}. Give other options.`);
  return { catalog: new Catalog(manifest, folder), name, listed: sameBuilds(manifest, current) };
}

const sameBuilds = (a: Manifest, b: Manifest | null) =>
  JSON.stringify(a.models) === JSON.stringify(b?.models);

interface InstallOptions {
  readonly json: boolean | undefined;
  /** What becomes of the files if the check fails; '' if nothing is left. */
  readonly files: string;
  /** What to do if the model itself is refused. */
  readonly damaged: string;
  /** What to do if a file does not have the SHA-256 of the build. */
  readonly unequal: string;
  readonly stop?: AbortSignal;
}

/**
 * Checks a build whose files are in place, adds it to the manifest and prints the check. If the check fails, the manifest
 * stays as it is, and the error says what to do. Throws nothing once the manifest has the build.
 */
export async function install(
  folder: string,
  settings: Settings,
  added: NewBuild,
  { json, files, damaged, unequal, stop }: InstallOptions,
): Promise<void> {
  const { catalog, name } = await planInstall(folder, added);
  const checks: ModelCheck[] = [];
  try {
    for await (const found of checkBuilds(settings, catalog, [name], notice, stop)) checks.push(found);
  } catch (error) {
    // What does not fit in memory is not at fault, and its error has a remedy.
    const remedy = error instanceof ChecksumError ? unequal : error instanceof ModelError ? damaged : '';
    throw withRemedy(error, ['The manifest is unchanged.', files, remedy].filter(Boolean).join(' '));
  }
  mkdirSync(folder, { recursive: true });
  let notices: readonly string[] = [];
  await editOrCreateManifest(folder, (current) => {
    stop?.throwIfAborted();
    const change = addBuild(current, added);
    requireFiles(new Catalog(change.manifest, folder), change.name);
    notices = change.notices;
    return change.manifest;
  });
  for (const sentence of notices) notice(sentence);
  notePriceClass(settings, catalog.find(name)?.model.price_class, added);
  await warn(settings, catalog, added, checks, stop);
  if (json) printJson(checks);
  else for (const found of checks) printCheck(found);
}

/** Another command may have deleted files since the check: `remove`, or an `add` that put them there and failed. */
function requireFiles(catalog: Catalog, name: string): void {
  const build = catalog.find(name);
  const lost = build && filesOf(build).find(({ path }) => !existsSync(path));
  if (lost === undefined) return;
  throw new ModelError(
    `${lost.path} was deleted while it was being checked. The manifest is unchanged. Try again.`,
  );
}

/** An error of the operator with a sentence added; any other error as it is. */
export const withRemedy = (error: unknown, sentence: string): unknown =>
  error instanceof OperatorError
    ? new OperatorError(`${error.message.replace(/([^.])$/, '$1.')} ${sentence}`.split('\n'))
    : error;

/** States the price of a build whose price class the operator has not named. */
function notePriceClass(
  { billing: { prices, currency } }: Settings,
  priceClass: string | undefined,
  { given }: NewBuild,
): void {
  const price = prices.get(priceClass ?? '');
  if (price === undefined || given.includes('price_class')) return;
  notice(
    `The price class is ${priceClass}: ${showPrice(price.live)} ${currency} per million input tokens, in batches ${showPrice(price.batch)} ${currency}. --price-class names another of: ${[...prices.keys()].join(', ')}.`,
  );
}

/** Prints what the operator should know about a build that works. Never throws: the build is installed. */
async function warn(
  { engine, data }: Settings,
  catalog: Catalog,
  { given }: NewBuild,
  checks: readonly ModelCheck[],
  stop?: AbortSignal,
): Promise<void> {
  for (const { build, source, profile } of checks) {
    if (source === 'gguf' && given.includes('profile')) {
      notice(`--profile has no effect: the GGUF of ${build} declares the profile ${profile}.`);
    }
    if (source !== 'gguf') {
      notice(
        `The GGUF of ${build} has no decision metadata; the profile is ${profile}. Measure its answers with: decider eval`,
      );
    }
  }
  try {
    // A start loads all models of the manifest, and the check above has loaded one.
    if (catalog.builds.length > 1)
      await checkMemory(
        engine,
        prepareEngine(engine, () => {}),
        catalog.builds,
        { data, stop },
      );
  } catch (error) {
    if (stop?.aborted) return;
    const { message } = error as Error;
    notice(
      error instanceof OperatorError
        ? `The next start will fail: ${message}`
        : `Whether all models fit in memory could not be determined: ${message}. Run: decider models check`,
    );
  }
}
