import { OperatorError } from '../base/index.js';
import { MANIFEST_FILE } from '../engine/index.js';

/** A model on the hub: `hf:OWNER/REPO[/FILE][@REVISION][:QUANT]`. */
export interface Reference {
  /** `OWNER/REPO`. */
  readonly repository: string;
  /** A GGUF of the repository; null: chosen by quantization. */
  readonly file: string | null;
  /** A branch, tag or commit. */
  readonly revision: string;
  readonly quantization: string | null;
}

const DEFAULT_REVISION = 'main';
const FORM = 'hf:OWNER/REPO[/FILE][@REVISION][:QUANT], such as hf:OWNER/REPO:Q8_0';

const NAME = '[A-Za-z0-9][\\w.-]{0,95}';
const REFERENCE = new RegExp(
  `^hf:(?<repository>${NAME}/${NAME})(?:/(?<file>[^@:]+))?(?:@(?<revision>[\\w./-]+))?(?::(?<quantization>[\\w.-]+))?$`,
);

/** Parses a reference. Throws OperatorError. */
export function parseReference(text: string): Reference {
  const { repository, file, revision, quantization } = REFERENCE.exec(text)?.groups ?? {};
  if (repository === undefined) throw new OperatorError(`${JSON.stringify(text)} is not ${FORM}.`);
  if (file !== undefined && quantization !== undefined) {
    throw new OperatorError(`${text} names a file and a quantization. Give only one of them.`);
  }
  if (file !== undefined) requireSafePath(file);
  if (repository.toLowerCase().startsWith(MANIFEST_FILE))
    throw new OperatorError(
      `${text}: the owner of a repository cannot have the name of a file of the models folder (${MANIFEST_FILE}).`,
    );
  return {
    repository,
    file: file ?? null,
    revision: revision ?? DEFAULT_REVISION,
    quantization: quantization ?? null,
  };
}

/** The reference as text, with another part in place of the quantization or file. */
export function showReference(
  { repository, revision }: Pick<Reference, 'repository' | 'revision'>,
  part: { readonly file: string } | { readonly quantization: string } | null = null,
): string {
  const at = revision === DEFAULT_REVISION ? '' : `@${revision}`;
  if (part === null) return `hf:${repository}${at}`;
  return 'file' in part ? `hf:${repository}/${part.file}${at}` : `hf:${repository}${at}:${part.quantization}`;
}

/**
 * Throws OperatorError for a path that could leave the folder it is joined to, or that file systems do not accept: the
 * paths of a repository are chosen by its owner.
 */
export function requireSafePath(path: string): void {
  const safe = path
    .split('/')
    .every((name) => /^[^\p{C}\p{Zl}\p{Zp}\\/:*?"<>|]{1,200}$/u.test(name) && !/^\.+$/.test(name));
  if (!safe) throw new OperatorError(`${JSON.stringify(path)} is not a path that can be stored.`);
}
