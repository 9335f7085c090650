import { ApiError, type ErrorType } from '../api/index.js';
import { type Catalog, type CatalogBuild, ProfileError } from '../engine/index.js';
import { type Askable, type Prepared, planRequest } from './plan/index.js';
import { readRequest } from './request/index.js';
import type { Question } from './types.js';

/** A request, decompressed and taken apart. */
export interface PrepareTask {
  /** The JSON text of contract 2.1, unread. */
  readonly body: Uint8Array;
  /** The model that answers whatever the body names; null where the body names it. */
  readonly model: string | null;
  /** The file parts by name (contract 4.1); empty where the body was no multipart one. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** What an unknown `model` means: refused, or answered by the default model (contract 4.2). */
  readonly unknownModel: 'refuse' | 'default';
  /** The ids of the models that the caller may use; null: all. */
  readonly allowedModels: readonly string[] | null;
}

/** What it gives back; an error crosses threads as its parts. */
export type PrepareResult =
  | ({ readonly ok: true; readonly build: string; readonly questions: readonly Question[] } & Prepared)
  | { readonly ok: false; readonly type: ErrorType; readonly message: string };

/** The models of this server, as the preparing thread sees them. */
export interface Models {
  readonly catalog: Catalog;
  open(build: CatalogBuild): Askable;
}

/**
 * From the body's bytes to a plan: every check of a decide request, in the order of the errors' table, and
 * the prompt's tokens. Never throws for a body, however broken.
 */
export function prepare(
  { body, model, unknownModel, allowedModels }: PrepareTask,
  { catalog, open }: Models,
): PrepareResult {
  try {
    const request = readRequest(body, {
      knows: (name) => model !== null || catalog.find(name) !== undefined,
      allows: (name) => mayUse(catalog.find(model ?? name), allowedModels),
      unknownModel,
    });
    const build = catalog.find(model ?? request.model) as CatalogBuild;
    if (request.hasAssets) {
      throw new ApiError('images_not_supported', `The model ${build.id} does not read images.`);
    }
    return { ok: true, build: build.id, questions: request.questions, ...planRequest(request, open(build)) };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, type: error.type, message: error.message };
    // A kind of question that the template of an operator's model cannot show.
    if (error instanceof ProfileError) {
      return {
        ok: false,
        type: 'invalid_question',
        message: `The model cannot be asked so: ${error.message}.`,
      };
    }
    throw error;
  }
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
