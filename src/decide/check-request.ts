import { ApiError } from '../api/index.js';
import type { Catalog, CatalogBuild } from '../engine/index.js';
import type { Image, ImageFile } from '../images/index.js';
import { imageFiles } from './image-files.js';
import { findImageUses } from './references/index.js';
import { type OpenBody, readRequest } from './request/index.js';
import type { DecideRequest } from './types.js';

/** What a request is checked against besides itself. */
export interface RequestTerms {
  /** The model that answers whatever the body names; null where the body names it. */
  readonly model: string | null;
  /** The file parts by name (contract 4.1); empty where the body was no multipart one. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** What an unknown `model` means: refused, or answered by the default model (contract 4.2). */
  readonly unknownModel: 'refuse' | 'default';
  /** The ids of the models that the caller may use; null: all. */
  readonly allowedModels: readonly string[] | null;
}

/** A request that only the model itself may still refuse. */
export interface CheckedRequest {
  readonly request: DecideRequest;
  readonly build: CatalogBuild;
  readonly uses: ReturnType<typeof findImageUses>;
  /** What `ReadImages` made of the request's images, in their order. */
  readonly images: readonly Image[];
}

/** Checks images, all of them, and makes of them what a model sees; nothing where nobody asks for it. */
export type ReadImages = (
  files: readonly ImageFile[],
  build: CatalogBuild,
  imageBudget: number,
) => Promise<readonly Image[]>;

/**
 * Every check of a decide request that needs no tokens, in the order of the errors' table: live requests and batch lines
 * go through it alike. Rejects with ApiError.
 */
export async function checkRequest(
  body: OpenBody,
  { model, files, unknownModel, allowedModels }: RequestTerms,
  catalog: Pick<Catalog, 'find'>,
  readImages: ReadImages,
): Promise<CheckedRequest> {
  const request = readRequest(body, {
    knows: (name) => model !== null || catalog.find(name) !== undefined,
    allows: (name) => mayUse(catalog.find(model ?? name), allowedModels),
    unknownModel,
  });
  const build = catalog.find(model ?? request.model) as CatalogBuild;
  const uses = findImageUses(request);
  const assets = imageFiles(request.assets, files);
  const images = await readImages(assets, build, request.imageBudget);
  if (assets.length > 0) {
    throw new ApiError('images_not_supported', `The model ${build.id} does not read images.`);
  }
  return { request, build, uses, images };
}

/**
 * Whether a workspace may use a build. It names models by any of their ids, also those that they only answer for, or one
 * build of a model; null: all.
 */
export function mayUse(build: CatalogBuild | undefined, allowed: readonly string[] | null): boolean {
  if (build === undefined) return false;
  if (allowed === null) return true;
  return [build.id, build.model.id, ...(build.model.answers_for ?? [])].some((id) => allowed.includes(id));
}
