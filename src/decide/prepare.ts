import { ApiError, type Content, type ErrorType } from '../api/index.js';
import {
  type Catalog,
  type CatalogBuild,
  type OpenModel,
  ProfileError,
  type TokenCache,
} from '../engine/index.js';
import type { ImageReader } from '../images/index.js';
import type { RequestTerms } from './check-request.js';
import { type ReadContent, readContent } from './content/read-content.js';
import type { Question } from './decide-types.js';
import type { DecisionsCatalog } from './decisions/check-decisions.js';
import { requireLabels } from './decisions/decision-questions.js';
import type { Diagnostics } from './diagnostics.js';
import { type Prepared, planRequest } from './plan.js';
import { FORMATS, type FormatName } from './request-formats.js';
import { readImages } from './request-images.js';

/** A decide request as sent: nothing of its body has been read. Live requests and batch lines alike. */
export interface SentRequest extends Omit<RequestTerms, 'files'> {
  /** How the body is read and the response written. */
  readonly format: FormatName;
  readonly body: Uint8Array;
  /** The encoding of `body`, and its media type. */
  readonly content: Content;
  /** A limit below the usual one for the decompressed size; beyond it the result is `body_too_large`. */
  readonly decompressedBytesMax?: number;
  /**
   * Whose requests share decoded images and the tokens of texts (see `TokenCache`). Absent: every text is tokenized, and
   * images are shared with the other requests that have none.
   */
  readonly workspace?: string | undefined;
}

/**
 * Decompresses a body, splits its parts and prepares it. Never rejects because of a body, however malformed.
 */
export async function prepareSent(
  { body, content, format, decompressedBytesMax, workspace, ...terms }: SentRequest,
  models: Models,
): Promise<PrepareResult> {
  let read: ReadContent;
  try {
    read = await readContent(body, content, decompressedBytesMax);
  } catch (error) {
    if (error instanceof ApiError) return refusal(error);
    throw error;
  }
  return prepare(read.request, format, { ...terms, files: read.files }, workspace, models);
}

/** A plan, or an error as plain fields, because class instances do not cross threads. */
export type PrepareResult =
  | ({
      readonly ok: true;
      readonly build: string;
      /** See `CatalogBuild`. */
      readonly calibration: string;
      readonly questions: readonly Question[];
      readonly diagnostics: Diagnostics;
      /** Texts of the prompts whose tokens were in the cache, and those that were tokenized and added to it. */
      readonly texts: { readonly hits: number; readonly misses: number };
    } & Prepared)
  | {
      readonly ok: false;
      readonly type: ErrorType;
      readonly message: string;
      /** See `ApiError`. */
      readonly param: string | null;
    };

const refusal = ({ type, message, param }: ApiError): PrepareResult => ({ ok: false, type, message, param });

/** The models of a preparing thread. */
interface Models {
  readonly catalog: Catalog;
  open(build: CatalogBuild): OpenModel;
  /** See `spaceJoiners`. */
  joinersOf(build: CatalogBuild): string | null;
  readonly images: ImageReader;
  readonly tokens: TokenCache;
}

/**
 * Turns a JSON body into a plan: every check of a request, in the order of the table of errors, then the tokens of
 * its prompts. Never rejects because of a body, however malformed.
 */
async function prepare(
  body: Uint8Array,
  format: FormatName,
  terms: RequestTerms,
  workspace: string | undefined,
  { catalog, open, joinersOf, images: reader, tokens }: Models,
): Promise<PrepareResult> {
  try {
    const { check, long } = FORMATS[format];
    const known: DecisionsCatalog = {
      find: (name) => catalog.find(name),
      promptBytes(of) {
        const { tokenizer, contextLength } = open(of);
        return tokenizer.bytesOf(contextLength);
      },
    };
    const { request, build, uses, diagnostics, images: files } = check(body, terms, known);
    const model = open(build);
    requireLabels(request.questions, build.id, model.profile.labels.length);
    const images = await readImages(files, build, model.images, reader, workspace ?? '');
    const tokenizer =
      workspace === undefined
        ? model.tokenizer
        : tokens.tokenizer(`${build.id} ${workspace}`, model.tokenizer, joinersOf(build));
    const { hits, misses } = tokens;
    const planned = planRequest(request, { ...model, tokenizer }, { uses, images }, diagnostics, long);
    return {
      ok: true,
      build: build.id,
      calibration: build.calibration,
      questions: request.questions,
      diagnostics,
      texts: { hits: tokens.hits - hits, misses: tokens.misses - misses },
      ...planned,
    };
  } catch (error) {
    if (error instanceof ApiError) return refusal(error);
    // The template of an operator's model cannot express this kind of question.
    if (error instanceof ProfileError) {
      return {
        ok: false,
        type: 'invalid_question',
        message: `The model's template cannot express this question: ${error.message}.`,
        param: null,
      };
    }
    throw error;
  }
}
