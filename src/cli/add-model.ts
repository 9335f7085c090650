import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  rmdirSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { OperatorError, showBytes, systemClock } from '../base/index.js';
import { splitNames } from '../engine/index.js';
import { isProjector } from '../hub/index.js';
import { checkTotalMemory } from '../server/index.js';
import { loadSettings } from '../settings/index.js';
import { install, notice, planInstall } from './install-model.js';
import { buildWith, type ModelOptions, newBuild } from './model-options.js';
import { reportError } from './output.js';
import { ownModels } from './own-models.js';
import { liesIn, placeFile, sha256Of, takeBack } from './place-file.js';
import { INTERRUPTED, onStopSignals } from './signals.js';

interface AddOptions extends ModelOptions {
  /** Refers to the files where they are. */
  readonly inPlace?: boolean;
}

/** A file as the manifest will name it; `target`: where it must be put first, null if it stays where it is. */
interface Named {
  readonly source: string;
  readonly file: string;
  readonly sha256: string;
  readonly target: string | null;
}

/** Files of this size take long enough to read for a notice. */
const ANNOUNCED_BYTES_MIN = 1e9;

/** `decider models add` */
export function addModel(files: string[], options: AddOptions): Promise<void> {
  return reportError(async () => {
    const settings = loadSettings(process.env, options.config);
    const found = sortFiles(files, options.projector);
    const sources: readonly string[] =
      found.projector === null ? found.model : [...found.model, found.projector];
    const bytes = sources.reduce((sum, file) => sum + statSync(file).size, 0);
    checkTotalMemory(settings.engine, found.model[0], bytes);
    const fileName = basename(found.model[0]);
    const stem = fileName.replace(/(?:-\d{5}-of-\d{5})?\.gguf$/i, '');
    const values = newBuild(
      options,
      { fileName, released: null, description: `${stem}, added from a file.` },
      settings,
      systemClock.now(),
    );
    const folder = ownModels(settings);
    const own = `${values.model.id}-${values.date}`;
    const stop = new AbortController();
    const end = () => process.exit(INTERRUPTED);
    onStopSignals(() => stop.abort(new OperatorError('Stopped.')), end);
    const name = (source: string) => nameOf(source, folder, own, options.inPlace ?? false, stop.signal);
    const made = new Map<string, bigint>();
    const copies = new Map<string, string>();
    const isNew = !existsSync(folder);
    try {
      const model: Named[] = [];
      for (const source of found.model) model.push(await name(source));
      const projector = found.projector === null ? null : await name(found.projector);
      const added = buildWith(values, model, projector);
      const files = projector === null ? model : [...model, projector];
      requireDifferent(files);
      // Contradictions are found before anything is copied.
      const { listed } = await planInstall(folder, added);
      for (const { source, target, sha256 } of listed ? [] : files) {
        if (target === null) continue;
        const inode = await placeFile(folder, { source, target, sha256 }, stop.signal);
        if (inode === null) continue;
        made.set(target, inode);
        copies.set(target, source);
      }
      await install(folder, settings, added, {
        json: options.json,
        files: '',
        damaged:
          'Compare the SHA-256 of the file with that of its source, or give other options (--profile, --projector none).',
        unequal: 'The file may be damaged: compare its SHA-256 with that of its source.',
        stop: stop.signal,
      });
    } catch (error) {
      await undo(folder, made, isNew);
      if (!stop.signal.aborted) throw ofSources(error, copies);
      notice((error as Error).message);
      end();
    }
  });
}

/** An error about copies, which are deleted, names their sources instead. `copies`: the source of each. */
function ofSources(error: unknown, copies: ReadonlyMap<string, string>): unknown {
  if (!(error instanceof OperatorError)) return error;
  let { message } = error;
  for (const [copy, source] of copies) message = message.replaceAll(copy, source);
  return message === error.message ? error : new OperatorError(message.split('\n'));
}

/** Never throws, so that the error that led to it is reported. */
async function undo(folder: string, made: ReadonlyMap<string, bigint>, isNew: boolean): Promise<void> {
  if (!existsSync(folder) || (made.size === 0 && !isNew)) return;
  try {
    await takeBack(folder, made);
    // An empty ./models would be the models folder of the next start.
    if (isNew && readdirSync(folder).length === 0) rmdirSync(folder);
  } catch (error) {
    notice(`${(error as Error).message} Files that are in no manifest remain in ${folder}.`);
  }
}

/** Reads a file, and decides its name in the manifest. */
async function nameOf(
  source: string,
  folder: string,
  own: string,
  inPlace: boolean,
  stop: AbortSignal,
): Promise<Named> {
  const { size } = statSync(source);
  if (size > ANNOUNCED_BYTES_MIN) notice(`reading ${source}, ${showBytes(size)}`);
  const sha256 = await sha256Of(source, stop);
  if (liesIn(folder, source)) {
    const path = join(realpathSync(dirname(source)), basename(source));
    return { source, sha256, file: relative(realpathSync(folder), path), target: null };
  }
  if (inPlace) return { source, sha256, file: resolve(source), target: null };
  const file = join(own, basename(source));
  return { source, sha256, file, target: join(folder, file) };
}

/** Throws OperatorError if two files would get the same name: the second would not be placed. */
function requireDifferent(files: readonly Named[]): void {
  for (const [index, { source, file }] of files.entries()) {
    const other = files.slice(0, index).find((each) => each.file === file);
    if (other === undefined) continue;
    throw new OperatorError(
      `${other.source} and ${source} have the same file name. Rename one, or leave both where they are with --in-place.`,
    );
  }
}

/** The files of a build, as paths. */
interface LocalFiles {
  /** The GGUF, or all files of a split one in order. */
  readonly model: readonly [string, ...string[]];
  readonly projector: string | null;
}

/** Finds the model and the projector among the files, and the other files of a split GGUF. Throws OperatorError. */
export function sortFiles(files: readonly string[], projector: string | undefined): LocalFiles {
  const named = projector === undefined || projector === 'none' ? [] : [projector];
  const projectors = [...new Set([...files.filter((file) => isProjector(file)), ...named])];
  const others = files.filter((file) => !projectors.includes(file));
  const models = new Map(others.map((file) => [(splitNames(file) ?? [file])[0] as string, file]));
  const [first, ...more] = models.keys();
  if (first === undefined) throw new OperatorError('Name the GGUF of the model; a projector alone is none.');
  if (more.length > 0)
    throw new OperatorError(`${first} and ${more[0]} are two models. Add them one by one.`);
  if (projectors.length > 1) {
    throw new OperatorError(`${projectors[0]} and ${projectors[1]} are two projectors. Name only one.`);
  }
  const model = (splitNames(first) ?? [first]) as [string, ...string[]];
  const used = projector === 'none' ? null : (projectors[0] ?? null);
  for (const file of used === null ? model : [...model, used]) requireGguf(file);
  return { model, projector: used };
}

/** Throws OperatorError unless a file can be read and starts as a GGUF does. */
function requireGguf(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new OperatorError(`${file}: no such file`);
  if (!found.isFile()) throw new OperatorError(`${file}: not a regular file`);
  const magic = Buffer.alloc(4);
  try {
    const descriptor = openSync(file, 'r');
    readSync(descriptor, magic);
    closeSync(descriptor);
  } catch (error) {
    throw new OperatorError(`${file}: ${(error as Error).message}`);
  }
  if (magic.toString('latin1') !== 'GGUF') {
    throw new OperatorError(
      `${file}: not a GGUF file. Convert the model to GGUF first, for example with llama.cpp.`,
    );
  }
}
