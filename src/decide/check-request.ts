import type { Catalog, CatalogBuild } from '../engine/index.js';
import type { ImageFile } from '../images/index.js';
import { findImageUses } from './references/find-uses.js';
import type { OpenBody } from './request/open-body.js';
import { readRequest } from './request/read-request.js';
import { imageFiles } from './request-images.js';
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

/** A request that only its images and the model itself may still refuse. */
interface CheckedRequest {
  readonly request: DecideRequest;
  readonly build: CatalogBuild;
  readonly uses: ReturnType<typeof findImageUses>;
  /** Unchecked. */
  readonly images: readonly ImageFile[];
}

/**
 * Every check of a decide request that needs neither tokens nor images, in the order of the errors' table: live requests
 * and batch lines go through it alike, without a turn of the loop. Throws ApiError.
 */
export function checkRequest(
  body: OpenBody,
  { model, files, unknownModel, allowedModels }: RequestTerms,
  catalog: Pick<Catalog, 'find'>,
): CheckedRequest {
  const request = readRequest(body, {
    ignoresModel: model !== null,
    knows: (name) => catalog.find(name) !== undefined,
    allows: (name) => mayUse(catalog.find(model ?? name), allowedModels),
    unknownModel,
  });
  const build = catalog.find(model ?? request.model) as CatalogBuild;
  const uses = findImageUses(request);
  return { request, build, uses, images: imageFiles(request.assets, files) };
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
