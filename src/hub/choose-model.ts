import { OperatorError, shellWord, showBytes } from '../base/index.js';
import { splitNames } from '../engine/index.js';
import { type Reference, showReference } from './reference.js';
import type { HubFile, Repository } from './repository.js';

/** A model of a repository: one GGUF, or all files of a split one, in order. */
interface HubModel {
  /** Such as `Q8_0`; null if the name states none. */
  readonly quantization: string | null;
  readonly files: readonly [HubFile, ...HubFile[]];
}

/** Maximum number of choices that a message lists. */
const LISTED_MAX = 50;

const PROJECTOR = /(?:^|[-_.])(?:mmproj|projector)(?:[-_.]|$)/i;
/** Data for quantizing, in GGUF too. */
const OTHER = /(?:^|[-_.])imatrix(?:[-_.]|$)/i;
const QUANTIZATION = /(?:^|[-_.])((?:UD-)?(?:I?Q\d\w*|TQ\d\w*|BF16|FP?16|FP?32|MXFP4\w*))(?=[-_.]|$)/gi;

const baseOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const sizeOf = (files: readonly HubFile[]) => files.reduce((sum, { size }) => sum + size, 0);
const normal = (quantization: string) => quantization.toUpperCase().replaceAll('-', '_');

/** Whether a GGUF is a projector, by the names that llama.cpp's tools and this project give them. */
export const isProjector = (path: string): boolean => PROJECTOR.test(baseOf(path).replace(/\.gguf$/i, ''));

/** The quantization that a path states last, such as `Q4_K_M`, in capitals; null if it states none. */
export function quantizationOf(path: string): string | null {
  const [first] = splitNames(path) ?? [path];
  const stem = (first as string).replace(/(?:-\d{5}-of-\d{5})?\.gguf$/i, '');
  const last = (text: string) => [...text.matchAll(QUANTIZATION)].at(-1)?.[1]?.toUpperCase() ?? null;
  return last(baseOf(stem)) ?? last(stem.replaceAll('/', '-'));
}

/** The models of a repository; a split one that lacks files has only those that exist. */
function modelsOf({ files }: Repository): HubModel[] {
  const groups = new Map<string, HubFile[]>();
  for (const file of files) {
    if (isProjector(file.path) || OTHER.test(baseOf(file.path))) continue;
    const first = splitNames(file.path)?.[0] ?? file.path;
    groups.set(first, [...(groups.get(first) ?? []), file]);
  }
  return [...groups.values()].map((group) => ({
    quantization: quantizationOf((group[0] as HubFile).path),
    files: group as [HubFile, ...HubFile[]],
  }));
}

/** The model that a reference means. Throws OperatorError, which lists the choices unless there is exactly one. */
export function chooseModel(reference: Reference, repository: Repository): HubModel {
  const models = modelsOf(repository);
  const asked = reference.quantization;
  if (models.length === 0) {
    throw new OperatorError(
      `${showReference(reference)} has no GGUF. Look for a repository with converted files, often named …-GGUF.`,
    );
  }
  const found = models.filter(({ quantization, files }) => {
    if (reference.file !== null) return files.some(({ path }) => path === reference.file);
    return asked === null || (quantization !== null && normal(quantization) === normal(asked));
  });
  const [model] = found;
  if (model === undefined) {
    const what = reference.file ?? asked;
    throw new OperatorError([
      `${showReference(reference)} has no ${what}. Choose one of:`,
      ...choices(reference, models),
    ]);
  }
  if (found.length > 1) {
    throw new OperatorError([
      `${showReference(reference)} has ${found.length} models${asked === null ? '' : ` in ${asked}`}. Choose one of:`,
      ...choices(reference, found),
    ]);
  }
  requireAllParts(reference, model);
  return model;
}

function requireAllParts(reference: Reference, { files }: HubModel): void {
  const names = splitNames(files[0].path) ?? [files[0].path];
  const missing = names.find((name) => !files.some(({ path }) => path === name));
  if (missing === undefined) return;
  throw new OperatorError(
    `${showReference(reference)} lacks ${missing}, without which the model cannot be loaded. Choose another quantization or revision.`,
  );
}

/** One line per model: what to type, and its size. */
function choices(reference: Reference, models: readonly HubModel[]): string[] {
  const typed = models.flatMap(({ quantization, files }) => {
    const alike = models.filter((other) => other.quantization === quantization).length > 1;
    const part = quantization === null || alike ? { file: files[0].path } : { quantization };
    // A reference ends a file name at @.
    if ('file' in part && part.file.includes('@')) return [];
    return [`  ${shellWord(showReference(reference, part))}  ${showBytes(sizeOf(files))}`];
  });
  const lines = typed.slice(0, LISTED_MAX);
  if (typed.length > LISTED_MAX) lines.push(`  and ${typed.length - LISTED_MAX} more`);
  const left = models.length - typed.length;
  if (left > 0) lines.push(`  and ${left} with @ in the file name, which a reference cannot name`);
  return lines;
}

/**
 * The projector to download: the only one of the repository, or the one named by `asked`; null for none. Throws
 * OperatorError, which lists the choices, if there are several.
 */
export function chooseProjector(
  reference: Reference,
  { files }: Repository,
  asked: string | undefined,
): HubFile | null {
  if (asked === 'none') return null;
  const found = files.filter(({ path }) => isProjector(path));
  const list = () => [
    ...found
      .slice(0, LISTED_MAX)
      .map(({ path, size }) => `  --projector ${shellWord(path)}  ${showBytes(size)}`),
    '  --projector none',
  ];
  if (asked !== undefined) {
    const named =
      files.find(({ path }) => path === asked) ?? found.find(({ path }) => baseOf(path) === asked);
    if (named !== undefined) return named;
    throw new OperatorError([
      `${showReference(reference)} has no projector ${asked}. Choose one of:`,
      ...list(),
    ]);
  }
  if (found.length > 1) {
    throw new OperatorError([
      `${showReference(reference)} has ${found.length} projectors, which read images. Choose one of:`,
      ...list(),
    ]);
  }
  return found[0] ?? null;
}
