import type { Catalog } from '../engine/index.js';

/**
 * What the start says of models that open batches name and the manifest lacks; null: it lacks none. A reload does not
 * remove such a model, but the manifest may have changed between two starts.
 *
 * @param openByModel how many open batches name each model or build
 * @param isShared whether other nodes run batches of the same database
 */
export function missingNotice(
  openByModel: ReadonlyMap<string, number>,
  catalog: Pick<Catalog, 'find'>,
  isShared: boolean,
): string | null {
  const missing = [...openByModel].filter(([model]) => catalog.find(model) === undefined);
  if (missing.length === 0) return null;
  const named = missing.map(([model, count]) => `${model} (${count} ${count === 1 ? 'batch' : 'batches'})`);
  const waits = isShared ? 'Unless another node has them, their lines wait' : 'Their lines wait';
  return `Open batches name models that the manifest does not have: ${named.join(', ')}. ${waits} for a reload that adds the models, a cancel, or the end of the 24 hours.`;
}
