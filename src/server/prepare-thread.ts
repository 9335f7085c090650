// Entry of a preparing thread: a list of tasks, each of which is one call into a room.

import { workerData } from 'node:worker_threads';
import type { Backend } from '#native/platform.mjs';
import { SharedTurn } from '../base/index.js';
import { type PrepareResult, prepareSent, type SentRequest } from '../decide/index.js';
import {
  Catalog,
  type CatalogBuild,
  devicesOf,
  type ImageReading,
  loadAddon,
  type Manifest,
  memoryCounter,
  type OpenModel,
  openModel,
  PREPARING,
  settingsOf,
  TokenCache,
  type VerifiedProfile,
} from '../engine/index.js';
import { ImageReader } from '../images/index.js';
import {
  type ReadLabels,
  type ReadPromotion,
  type ReadTask,
  readLabels,
  readPromotion,
  readTask,
  type SentLabels,
  type SentPromotion,
  type SentTask,
} from '../tasks/index.js';

/** Given to a preparing thread when it starts. */
export interface PrepareSetup {
  readonly backend: Backend;
  /** The device that holds the weights of models that name none; '' for the CPU. */
  readonly device: string;
  /** As the server has read it: the file may have changed since. */
  readonly manifest: Manifest;
  /** The folder of the manifest. */
  readonly models: string;
  /** How each build reads images, by build id; for other builds it is read from the projector's file. */
  readonly images: ReadonlyMap<string, ImageReading | null>;
  /** The turn of the threads to decode a large image that is held whole. */
  readonly decoding: SharedArrayBuffer;
  /** What the profile of each build found, by build id; others are verified here. */
  readonly verified: ReadonlyMap<string, VerifiedProfile>;
  /** See `spaceJoiners`, by build id; the texts of other builds are not cut into words. */
  readonly joiners: ReadonlyMap<string, string | null>;
  /** KV cells of a context, for models that give no number: the maximum length of a prompt, whatever its model could read. */
  readonly cells: number;
  /** Bytes of the texts whose tokens each thread keeps. */
  readonly tokenCacheBytes: number;
}

const setup = workerData as PrepareSetup;
const { addon } = loadAddon(setup.backend);
addon.numberThread(PREPARING);
const catalog = new Catalog(setup.manifest, setup.models);
// The weights are shared with the engine threads: opening a model here only reads its vocabulary.
const models = new Map(
  catalog.builds.map((build) => {
    const [device = ''] = devicesOf(build.model, [setup.device]);
    const model = openModel(addon, device, build, {
      images: setup.images.get(build.id),
      verified: setup.verified.get(build.id),
    });
    const { cells } = settingsOf(build.model, { cells: setup.cells });
    return [build.id, { ...model, contextLength: Math.min(model.contextLength, cells) }];
  }),
);
const open = (build: CatalogBuild) => models.get(build.id) as OpenModel;
const joinersOf = (build: CatalogBuild) => setup.joiners.get(build.id) ?? null;
const decoding = new SharedTurn(setup.decoding);
const tokens = new TokenCache(setup.tokenCacheBytes);
const images = new ImageReader(memoryCounter(addon), (_, decode) => decoding.run(decode));

/** Turns a request as sent into a plan. */
export function prepare(task: SentRequest): Promise<PrepareResult> {
  return prepareSent(task, { catalog, open, joinersOf, images, tokens });
}

/** Reads the body of a task. */
export function task(sent: SentTask): Promise<ReadTask> {
  return readTask(sent, catalog);
}

/** Reads labels of answers to a task. */
export function labels(sent: SentLabels): Promise<ReadLabels> {
  return readLabels(sent);
}

/** Reads what a caller expects of a shadow that is promoted. */
export function promotion(sent: SentPromotion): Promise<ReadPromotion> {
  return readPromotion(sent);
}

/** Resolves when the models are open. */
export function ready(): true {
  return true;
}
