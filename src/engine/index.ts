export { chooseBackend, type Machine } from './addon/choose.js';
export { type CountMemory, memoryCounter } from './addon/count-memory.js';
export { chooseDevices, threadDevices } from './addon/devices.js';
export { BackendError, cpuBeside, loadAddon } from './addon/load.js';
export type { Addon, ModelDescription, ModelHandle, NativeContext } from './addon/types.js';
export { type CheckLimits, checkModel } from './check/check-model.js';
export { FIRST_QUESTION } from './check/first-plans.js';
export type { ModelFacts } from './check/messages.js';
export {
  Engine,
  type EngineAnswer,
  type EngineOptions,
  LIVE_PIXEL_BYTES_MAX,
  type RunOptions,
} from './engine.js';
export { type EngineEvents, UNWATCHED } from './events.js';
export { Catalog, type CatalogBuild } from './models/catalog.js';
export { holdWeights } from './models/hold.js';
export { ModelError, readManifest } from './models/manifest.js';
export type { Manifest } from './models/manifest-schema.js';
export { type OpenModel, openModel } from './models/model.js';
export { requireUnchanged, verifyChecksum } from './models/model-file.js';
export { type ImageReading, openProjector } from './models/projector.js';
export { fillParts } from './profile/fill.js';
export { BUILT_IN_FORMATS } from './profile/formats.js';
export { type ImageTokens, imageAt, imageTokens, noImages } from './profile/image-tokens.js';
export { LABELS } from './profile/labels.js';
export { RENDER_MS_MAX } from './profile/render.js';
export {
  ProfileError,
  type QuestionShape,
  type ShownPart,
  type Skeleton,
  type Slot,
} from './profile/types.js';
export { COUPLED_PRODUCT_MAX, EXACT, type Sharing } from './scheduler/context-state.js';
export { EngineThread } from './thread.js';
export { type PlanImage, prefixKey } from './wave/images.js';
export { longestPrompt, type Plan, type PlanLogits, type Suffix, type WaveBounds } from './wave/types.js';
