import type { TinyProjectorOptions } from './projector.js';
import type { TinyModelOptions } from './shape.js';

/** The model of `models/random`, which exists to try images without a trained model. From the project's root. */
export const RANDOM_MODEL_FILE = 'models/random/decider-random-20261121.gguf';

/** How that model is generated. Its file is never changed under the same name. */
export const RANDOM_MODEL_OPTIONS: TinyModelOptions = { seed: 1, name: 'decider-random', type: 'f16' };

/** Its projector, of the kind that the 12B model has. */
export const RANDOM_PROJECTOR_FILE = 'models/random/decider-random-20261121-projector.gguf';
export const RANDOM_PROJECTOR_OPTIONS: TinyProjectorOptions = { kind: 'gemma4uv', seed: 1 };
