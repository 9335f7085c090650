import type { ModelDescription } from '../../engine/index.js';
import { deviceNamed, operations, type Peaks } from '../roofline.js';
import type { Fit } from './fit-costs.js';
import type { TimedDecode } from './time-decodes.js';

/**
 * The limits of a device: from its data sheet if its name is known, otherwise those that the decodes reached, which can be
 * lower than the real ones.
 */
export function peaksOf(
  title: string,
  model: ModelDescription,
  { decodes, costs }: Pick<Fit, 'costs'> & { readonly decodes: readonly TimedDecode[] },
): Peaks {
  const known = deviceNamed(title);
  if (known !== null) return known;
  // Decodes of one prompt from its start, whose operations are known.
  const rates = decodes
    .filter(({ tokens, cells }) => tokens === cells)
    .map(({ tokens, ms }) => {
      const plan = { prefix: new Int32Array(tokens), prefixKey: '', suffixes: [], images: [] };
      return operations([plan], model) / (Math.min(...ms) / 1_000);
    });
  return {
    peak: Math.max(...rates),
    bandwidth: costs.decodeMs > 0 ? model.sizeBytes / (costs.decodeMs / 1_000) : Number.POSITIVE_INFINITY,
  };
}
