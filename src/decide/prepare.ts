import { ApiError, type ErrorType } from '../api/index.js';
import { type Catalog, type CatalogBuild, ProfileError } from '../engine/index.js';
import type { ImageReader } from '../images/index.js';
import { checkRequest, type RequestTerms } from './check-request.js';
import { type Askable, type Prepared, planRequest } from './plan/index.js';
import { readImages } from './read-images.js';
import { openBody } from './request/index.js';
import type { Question } from './types.js';

/** A request, decompressed and taken apart. */
export interface PrepareTask extends RequestTerms {
  /** The JSON text of contract 2.1, unread. */
  readonly body: Uint8Array;
}

/** What it gives back; an error crosses threads as its parts. */
export type PrepareResult =
  | ({ readonly ok: true; readonly build: string; readonly questions: readonly Question[] } & Prepared)
  | { readonly ok: false; readonly type: ErrorType; readonly message: string };

/** The models of this server, as the preparing thread sees them. */
export interface Models {
  readonly catalog: Catalog;
  open(build: CatalogBuild): Askable;
  readonly images: ImageReader;
}

/**
 * From the body's bytes to a plan: every check of a decide request, in the order of the errors' table, and
 * the prompt's tokens. Never rejects for a body, however broken.
 */
export async function prepare(
  { body, ...terms }: PrepareTask,
  { catalog, open, images: reader }: Models,
): Promise<PrepareResult> {
  try {
    const { request, build, uses, images: files } = checkRequest(openBody(body), terms, catalog);
    const model = open(build);
    const images = await readImages(files, request.imageBudget, build, model.images, reader);
    return {
      ok: true,
      build: build.id,
      questions: request.questions,
      ...planRequest(request, model, { uses, images }),
    };
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
