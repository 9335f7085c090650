// Entry of a preparing thread: a list of tasks, each of which is one call into a room.
import { workerData } from 'node:worker_threads';
import { type PrepareResult, prepareSent, type SentRequest } from '../decide/index.js';
import {
  Catalog,
  type CatalogBuild,
  devicesOf,
  loadAddon,
  memoryCounter,
  type OpenModel,
  openModel,
  PREPARING,
  settingsOf,
} from '../engine/index.js';
import { ImageReader } from '../images/index.js';
import type { PrepareSetup } from './thread-setup.js';

const setup = workerData as PrepareSetup;
const { addon } = loadAddon(setup.backend);
addon.numberThread(PREPARING);
const catalog = new Catalog(setup.manifest, setup.models);
// The weights are shared with the engine threads: opening a model here only reads its vocabulary.
const models = new Map(
  catalog.builds.map((build) => {
    const [device = ''] = devicesOf(build.model, [setup.device]);
    const model = openModel(addon, device, build, { images: setup.images.get(build.id) });
    const { cells } = settingsOf(build.model, { cells: setup.cells });
    return [build.id, { ...model, contextLength: Math.min(model.contextLength, cells) }];
  }),
);
const open = (build: CatalogBuild) => models.get(build.id) as OpenModel;
const images = new ImageReader(memoryCounter(addon));

/** Turns a request as sent into a plan. */
export function prepare(task: SentRequest): Promise<PrepareResult> {
  return prepareSent(task, { catalog, open, images });
}

/** Resolves when the models are open. */
export function ready(): true {
  return true;
}
