import type { Catalog, CatalogBuild } from '../engine/index.js';
import type { DecideRequest, ImageUses, Question } from './decide-types.js';
import { checkDiagnostics, type Diagnostics } from './diagnostics.js';
import { pinnedBuild } from './pinned-build.js';
import { findImageUses } from './references/find-uses.js';
import type { OpenBody } from './request/open-body.js';
import { readRequest } from './request/read-request.js';
import { withoutJson } from './request/system-one.js';
import { imageFiles, type RequestImage } from './request-images.js';
import type { AskedTask } from './tasks/completed-body.js';

/** The conditions under which a request is checked. */
export interface RequestTerms {
  /** The model of the endpoint, of which the body may name a build; null: the body names the model. */
  readonly model: string | null;
  /** The file parts by name (contract 4.1); empty if the body was not multipart. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The ids of the models that the caller may use; null: all. */
  readonly allowedModels: readonly string[] | null;
  /** The task that completes the body; absent: the body has its questions. */
  readonly task?: AskedTask;
  /** What headers ask for; `line`: the fields of the body ask, as those of a batch line do. Absent: nothing is asked for. */
  readonly diagnostics?: Diagnostics | 'line';
}

/** The conditions of a request in the form of contract 2.1. */
interface DecideTerms extends RequestTerms {
  /** `systemone`: an unknown `model` is answered by the default model, and extensions are accepted (contract 4.2). */
  readonly format: 'decide' | 'systemone';
  /** In place of those of the body; null: they are not known here, and may show any image. Absent: those of the body. */
  readonly questions?: readonly Question[] | null | undefined;
}

/** Accepts every model name, as a model that reads images: for files that are checked without their server. */
export const ANY_MODEL: Pick<Catalog, 'find'> = {
  find: (name) => ({ id: name, model: { id: name, reads_images: true } }) as CatalogBuild,
};

/** A request that has passed `checkRequest`; its images and prompt lengths are not checked yet. */
export interface CheckedRequest {
  readonly request: DecideRequest;
  readonly build: CatalogBuild;
  readonly uses: ImageUses;
  readonly diagnostics: Diagnostics;
  /** Unchecked. */
  readonly images: readonly RequestImage[];
}

const NO_USES: ImageUses = { state: [], questions: [] };

/**
 * Every check of a decide request that needs neither tokens nor decoded images, in the order of the table of errors. Used
 * for live requests and batch lines; synchronous. Throws ApiError.
 */
export function checkRequest(
  body: OpenBody,
  { model, files, format, allowedModels, diagnostics: asked, questions }: DecideTerms,
  catalog: Pick<Catalog, 'find'>,
): CheckedRequest {
  const pinned = model === null ? undefined : pinnedBuild(catalog, model, body.fields.model);
  const request = readRequest(body, {
    ignoresModel: model !== null,
    knows: (name) => catalog.find(name) !== undefined,
    allows: (name) => mayUse(pinned ?? catalog.find(name), allowedModels),
    format,
    questions,
  });
  const build = pinned ?? (catalog.find(request.model) as CatalogBuild);
  const uses = questions === null ? NO_USES : findImageUses(request);
  const images = imageFiles(request.assets, request.imageBudget, files);
  return {
    request: format === 'systemone' ? { ...request, questions: withoutJson(request.questions) } : request,
    build,
    uses,
    diagnostics: checkDiagnostics(asked, body.fields, request.questions),
    images,
  };
}

/**
 * Whether a workspace may use a build. `allowed` may name a model by any of its ids, including those it only answers for,
 * or one build; null: all.
 */
export function mayUse(build: CatalogBuild | undefined, allowed: readonly string[] | null): boolean {
  if (build === undefined) return false;
  if (allowed === null) return true;
  return [build.id, build.model.id, ...(build.model.answers_for ?? [])].some((id) => allowed.includes(id));
}
