import { ApiError, type ImageBudget } from '../api/index.js';
import type { CatalogBuild, OpenModel, PlanImage } from '../engine/index.js';
import { type ImageFile, type ImageReader, inspectImages, type SizeRule } from '../images/index.js';
import type { Asset } from './decide-types.js';
import { quoteName } from './request/strings.js';

/** An image of a request. */
export interface RequestImage extends ImageFile {
  /** The most tokens that it may take. */
  readonly tokens: ImageBudget;
  /** Where it stands in the body (see `ApiError`); null: the format has no places. */
  readonly place: string | null;
}

/**
 * The images of a request's assets, in order.
 *
 * @param tokens the most tokens that each may take
 * @param files the file parts of a multipart request by name
 * @throws ApiError `invalid_assets` for an asset whose part is missing, `unreferenced_asset` for a part that no asset names
 *   (contract 4.3 rule 7)
 */
export function imageFiles(
  assets: readonly Asset[],
  tokens: ImageBudget,
  files: ReadonlyMap<string, Uint8Array>,
): RequestImage[] {
  const images = assets.map(({ reference, format, source }) => {
    const subject = `The asset ${quoteName(reference)}`;
    const common = { subject, format, tokens, place: null };
    if (source.of === 'base64') return { ...common, data: source.text };
    const data = files.get(source.name);
    if (data !== undefined) return { ...common, data };
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
export function requireImageModel(files: readonly RequestImage[], build: CatalogBuild): void {
  if (files.length > 0 && !build.model.reads_images) refuse(files, build);
}

/**
 * Returns the images as the model sees them, each within its budget of tokens. Rejects with ApiError if the model reads no
 * images, or one of them cannot be decoded.
 *
 * @param scope see `ImageReader.read`
 */
export async function readImages(
  files: readonly RequestImage[],
  build: CatalogBuild,
  reading: OpenModel['images'],
  reader: ImageReader,
  scope: string,
): Promise<PlanImage[]> {
  const [first] = files;
  if (first === undefined) return [];
  try {
    if (reading === null) return refuse(files, build);
    return await reader.read(files, reading.side, sizeRule(first), scope);
  } catch (error) {
    throw withPlace(error, files);
  }
}

/** Images of any size are scaled in the formats that have places. */
const sizeRule = ({ place }: RequestImage): SizeRule => (place === null ? 'exact' : 'scaled');

/** An error about one of the images, with its place. */
function withPlace(error: unknown, files: readonly RequestImage[]): unknown {
  if (!(error instanceof ApiError)) return error;
  const { type, message, headers, details } = error;
  const file = files.find(({ subject }) => message.startsWith(subject));
  return new ApiError(type, message, headers, details, error.param ?? file?.place);
}

/** For a model that does not read images. Decodes nothing: a caller pays nothing for a refusal. */
function refuse(files: readonly RequestImage[], { id }: CatalogBuild): never {
  const [first] = files;
  if (first !== undefined) inspectImages(files, sizeRule(first));
  throw new ApiError('images_not_supported', `The model ${id} does not read images.`, {}, {}, first?.place);
}
