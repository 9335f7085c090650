import { ApiError } from '../api/index.js';
import type { CatalogBuild, OpenModel, PlanImage } from '../engine/index.js';
import { type ImageFile, type ImageReader, inspectImages } from '../images/index.js';
import type { Asset } from './decide-types.js';
import { quoteName } from './request/strings.js';

/**
 * The images of a request's assets, in order.
 *
 * @param files the file parts of a multipart request by name
 * @throws ApiError `invalid_assets` for an asset whose part is missing, `unreferenced_asset` for a part that no asset names
 *   (contract 4.3 rule 7)
 */
export function imageFiles(assets: readonly Asset[], files: ReadonlyMap<string, Uint8Array>): ImageFile[] {
  const images = assets.map(({ reference, format, source }) => {
    const subject = `The asset ${quoteName(reference)}`;
    if (source.of === 'base64') return { subject, format, data: source.text };
    const data = files.get(source.name);
    if (data !== undefined) return { subject, format, data };
    throw new ApiError(
      'invalid_assets',
      `${subject} names the file part ${quoteName(source.name)}, which was not sent.`,
    );
  });
  const named = new Set(assets.map(({ source }) => (source.of === 'part' ? source.name : undefined)));
  for (const name of files.keys()) {
    if (!named.has(name)) {
      throw new ApiError('unreferenced_asset', `No asset names the file part ${quoteName(name)}.`);
    }
  }
  return images;
}

/** The check after `checkRequest` that decodes nothing: that the model reads images, if there are any. Throws ApiError. */
export function requireImageModel(files: readonly ImageFile[], build: CatalogBuild): void {
  if (files.length > 0 && !build.model.reads_images) refuse(files, build);
}

/**
 * Returns the images as the model sees them, each within the budget of tokens. Rejects with ApiError if the model reads no
 * images, or one of them cannot be decoded.
 */
export async function readImages(
  files: readonly ImageFile[],
  budget: number,
  build: CatalogBuild,
  reading: OpenModel['images'],
  reader: ImageReader,
): Promise<PlanImage[]> {
  if (files.length === 0) return [];
  if (reading !== null) {
    const shown = files.map((file) => ({ ...file, tokens: budget }));
    return reader.read(shown, reading.side);
  }
  return refuse(files, build);
}

/** For a model that does not read images. Decodes nothing: a caller pays nothing for a refusal. */
function refuse(files: readonly ImageFile[], { id }: CatalogBuild): never {
  inspectImages(files);
  throw new ApiError('images_not_supported', `The model ${id} does not read images.`);
}
