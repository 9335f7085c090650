import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { OperatorError } from '../base/index.js';
import { splitNames } from '../engine/index.js';
import { isProjector } from '../hub/index.js';

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
