import { ApiError } from '../api/index.js';
import type { CatalogBuild, OpenModel, PlanImage } from '../engine/index.js';
import type { ImageFile, ImageReader } from '../images/index.js';

/** The checks after those of `checkRequest`: what is in the images, and whether the model reads any. Rejects with ApiError. */
export async function checkImages(
  files: readonly ImageFile[],
  build: CatalogBuild,
  reader: ImageReader,
): Promise<void> {
  if (files.length === 0) return;
  await reader.check(files);
  if (!build.model.reads_images) throw notSupported(build);
}

/** The same checks, and the images as the model sees them, each of no more tokens than the budget. */
export async function readImages(
  files: readonly ImageFile[],
  budget: number,
  build: CatalogBuild,
  reading: OpenModel['images'],
  reader: ImageReader,
): Promise<PlanImage[]> {
  if (files.length === 0) return [];
  if (reading !== null) return reader.read(files, { tokens: budget, side: reading.side });
  await reader.check(files);
  throw notSupported(build);
}

const notSupported = ({ id }: CatalogBuild) =>
  new ApiError('images_not_supported', `The model ${id} does not read images.`);
