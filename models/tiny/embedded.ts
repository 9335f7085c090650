import type { TinyProjectorOptions } from './projector.js';
import type { TinyModelOptions } from './shape.js';

/** Where the model that comes with the project lies, from the project's root. */
export const EMBEDDED_FILE = 'models/decider-g-nano/decider-g-nano-20261121.gguf';

/** What that model is made of. Its file is never changed under the same name. */
export const EMBEDDED_OPTIONS: TinyModelOptions = { seed: 1, name: 'decider-g-nano', type: 'f16' };

/** Likewise what reads images for it, of the kind that the model has which it stands in for by default. */
export const EMBEDDED_PROJECTOR_FILE = 'models/decider-g-nano/decider-g-nano-20261121-projector.gguf';
export const EMBEDDED_PROJECTOR_OPTIONS: TinyProjectorOptions = { kind: 'gemma4uv', seed: 1 };
