import type { TinyModelOptions } from './shape.js';

/** Where the model that comes with the project lies, from the project's root. */
export const EMBEDDED_FILE = 'models/decider-g-nano/decider-g-nano-20261121.gguf';

/** What that model is made of. Its file is never changed under the same name. */
export const EMBEDDED_OPTIONS: TinyModelOptions = { seed: 1, name: 'decider-g-nano', type: 'f16' };
