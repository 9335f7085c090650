import type { KeyLayout } from './key-layout.js';

/**
 * The tables with sealed values, and the parts of their keys. A sealed value is bound to its table and key, so neither may
 * change. `meta` has the check of the master key.
 */
export const SEALED_PLACES = {
  meta: [['name', 'text']],
  batch_lines: [
    ['batch', 'text'],
    ['chunk', 'number'],
  ],
  batch_ids: [
    ['batch', 'text'],
    ['chunk', 'number'],
  ],
  batch_results: [
    ['batch', 'text'],
    ['line', 'number'],
  ],
  batch_webhooks: [['batch', 'text']],
  data_keys: [['owner', 'text']],
} as const satisfies Record<string, KeyLayout>;
