export type {
  Addon,
  DecodeBatch,
  ModelDescription,
  ModelHandle,
  NativeContext,
} from './addon/addon-types.js';
export { chooseBackend, type Machine } from './addon/choose-backend.js';
export { type CountMemory, memoryCounter } from './addon/count-memory.js';
export { chooseDevices, deviceTitle, threadDevices } from './addon/devices.js';
export { hasLibraries, libraryVersions, remedyFor } from './addon/installed.js';
export { BackendError, cpuBackendFor, hasOlderCudaLibraries, loadAddon } from './addon/load-addon.js';
export { ChildError, type ChildLimits, oneLine, runBounded } from './check/bounded-child.js';
export type { ModelFacts } from './check/check-messages.js';
export { checkModel } from './check/check-model.js';
export { FIRST_QUESTION } from './check/first-plans.js';
export { Engine, type EngineOptions, LIVE_PIXEL_BYTES_MAX, type RunOptions } from './engine.js';
export { type EngineEvents, UNWATCHED } from './engine-events.js';
export { EngineThread, isCancelled } from './engine-thread.js';
export type { LaneStatus } from './lanes/lane.js';
export { LANE_STATES, type LaneState } from './lanes/lane-transitions.js';
export { NotComputed } from './lanes/not-computed.js';
export { afterRunning } from './lanes/wave-limit.js';
export type { BuildMemory } from './memory/estimate-memory.js';
export { showMemory } from './memory/memory-messages.js';
export type { MemoryNeed, MemorySpace } from './memory/memory-types.js';
export { memorySpaces } from './memory/ram.js';
export {
  estimateBuilds,
  MemoryError,
  type MemoryEstimate,
  requireMemory,
  requireTotal,
} from './memory/require.js';
export { requireReserve } from './memory/reserve.js';
export { type BuildFiles, bytesOf, Catalog, type CatalogBuild, filesOf } from './models/catalog.js';
export { holdWeights } from './models/hold.js';
export { loadVerified } from './models/load-verified.js';
export { buildId, MANIFEST_FILE, ModelError, manifestFault, readManifest } from './models/manifest.js';
export { addBuild, type NewBuild, removeBuilds } from './models/manifest-builds.js';
export { editManifest, editOrCreateManifest, requireWritableManifest } from './models/manifest-edit.js';
export { type Manifest, type ManifestModel, splitNames } from './models/manifest-schema.js';
export { type OpenModel, openModel } from './models/model.js';
export { ChecksumError, fileVersions, requireUnchanged, verifyChecksum } from './models/model-file.js';
export { type ImageReading, openProjector, SIDE_TOKENS_MAX } from './models/projector.js';
export { spaceJoiners } from './models/space-joiners.js';
export type { EngineAnswer } from './pending.js';
export { fillParts } from './profile/fill-template.js';
export { BUILT_IN_FORMATS } from './profile/formats.js';
export { type ImageTokens, imageAt, imageTokens, noImages } from './profile/image-tokens.js';
export { LABELS_MAX, LETTERS } from './profile/labels.js';
export { TOKENIZING_STACK_MEBIBYTES } from './profile/long-texts.js';
export {
  ProfileError,
  type QuestionShape,
  RENDER_MS_MAX,
  type ShownPart,
  type Skeleton,
  type Slot,
} from './profile/profile-types.js';
export { readTemperatures, TEMPERATURE_BUCKETS } from './profile/temperatures.js';
export { type PromptTokenizer, TOKEN_CACHE_BYTES_MAX, TokenCache } from './profile/token-cache.js';
export type { VerifiedProfile } from './profile/verified-profile.js';
export { type Abort, forgetAbort, PREPARING, readAbort, WaveRecord } from './record/wave-record.js';
export { COUPLED_PRODUCT_MAX, ContextState, EXACT, type Sharing } from './scheduler/context-state.js';
export { type EmbeddingSizes, Embeddings, noEmbeddings } from './scheduler/embeddings.js';
export { AdaptiveBudget, fixedBudget } from './scheduler/idle-budget.js';
export { giveWaves } from './scheduler/routing.js';
export { Scheduler, type Urgency } from './scheduler/scheduler.js';
export type { Entry } from './scheduler/scheduler-types.js';
export { runTogether, settle } from './scheduler/step.js';
export type { Wave } from './scheduler/wave-builder.js';
export { deriveSizes, devicesOf, type EngineSizes, settingsOf } from './sizes.js';
export { roundsOf } from './wave/decodes.js';
export { type ImageEncoder, NO_ENCODER, runWave } from './wave/run-wave.js';
export { type PlanImage, prefixKey } from './wave/wave-images.js';
export {
  contextOptions,
  LABEL_MASS,
  longestPrompt,
  type Plan,
  type PlanLogits,
  planCells,
  type Suffix,
  type WaveBounds,
} from './wave/wave-types.js';
