import type { CatalogBuild } from '../../engine/index.js';
import { checkFile, type LineFault } from './check-file.js';
import { Refusal } from './refusal.js';

/** Why a file would not be queued, whatever the server. */
export interface LinesRefusal {
  readonly type: string;
  readonly message: string;
  readonly lines: readonly LineFault[];
}

/** Any name is taken for a model, one that reads images: only the server knows its own. */
const ANY_MODEL = {
  find: (name: string | null) => ({ id: name, model: { id: name, reads_images: true } }) as CatalogBuild,
};

/** Checks a batch file, not compressed, where there is no server; null where nothing is wrong. */
export async function checkLines(file: Buffer): Promise<LinesRefusal | null> {
  try {
    await checkFile(file, { catalog: ANY_MODEL, allowed: null });
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { type, message, details } = error;
    return { type, message, lines: (details.errors as LineFault[] | undefined) ?? [] };
  }
}
