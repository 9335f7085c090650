import { DEFAULT_IMAGE_BUDGET, LIMITS } from '../../api/index.js';
import type { Catalog, CatalogBuild } from '../../engine/index.js';
import { type CheckedRequest, mayUse, type RequestTerms } from '../check-request.js';
import type { DecideRequest, ImageUse, ImageUses, JsonNode } from '../decide-types.js';
import { checkDiagnostics } from '../diagnostics.js';
import { pinnedBuild } from '../pinned-build.js';
import { isAbsent } from '../request/json-fields.js';
import { openBody } from '../request/open-body.js';
import { readOrdered } from '../request/ordered-json.js';
import { type ReadQuestion, readDecisionQuestions } from './decision-questions.js';
import { readItems } from './items.js';
import { errorAt, refusedAt } from './place.js';
import { SentImages } from './sent-images.js';
import { type ShownInput, showInput } from './transcript.js';

/** Fields that have no effect on an answer, and the JSON type that each has unless it is null. */
const WITHOUT_EFFECT = {
  prompt_cache_key: 'string',
  prompt_cache_options: 'object',
  safety_identifier: 'string',
} as const;

/** The models, and how much text their prompts have. */
export interface DecisionsCatalog extends Pick<Catalog, 'find'> {
  /** The most bytes of text that a prompt of a build can have. Absent: texts of any length are shown to their ends. */
  promptBytes?(build: CatalogBuild): number;
}

/**
 * Reads a body in the form of `/v1/decisions` (OpenAI's Decisions API; `docs/decisions-api.md`) and makes every check
 * that needs neither tokens nor decoded images.
 *
 * @throws ApiError whose `param` is the place of the fault
 */
export function checkDecisions(
  bytes: Uint8Array,
  { model, allowedModels, diagnostics }: RequestTerms,
  catalog: DecisionsCatalog,
): CheckedRequest {
  const { fields, sources } = openBody(bytes, ['input', 'questions']);
  const node = (name: string) =>
    isAbsent(fields[name]) ? undefined : readOrdered(sources.get(name) as string);
  const build = readBuild(model, fields.model, catalog);
  if (!mayUse(build, allowedModels))
    throw errorAt('model', 'The workspace may not use this model.', 'model_not_allowed');
  for (const [name, type] of Object.entries(WITHOUT_EFFECT)) {
    const value = fields[name];
    if (!isAbsent(value) && (typeof value !== type || Array.isArray(value))) {
      throw refusedAt(name, `must be a${type === 'object' ? 'n' : ''} ${type} or null`, 'invalid_request');
    }
  }
  const images = new SentImages();
  // So many characters show that a text is too long.
  const most = (catalog.promptBytes?.(build) ?? Number.POSITIVE_INFINITY) + 1;
  const input = readInput(node('input'), images, most);
  const questions = readDecisionQuestions(node('questions'), images, most);
  const request: DecideRequest = {
    model: null,
    state: input.state,
    questions: questions.map(({ question }) => question),
    imageBudget: DEFAULT_IMAGE_BUDGET,
    assets: [],
  };
  return {
    request,
    build,
    diagnostics: checkDiagnostics(diagnostics, fields, request.questions),
    uses: usesOf(input.uses, questions),
    images: images.images,
  };
}

/** A name that is not served means the default model, as on `/v1/systemone`. */
function readBuild(pinned: string | null, sent: unknown, catalog: Pick<Catalog, 'find'>): CatalogBuild {
  if (pinned !== null) return pinnedBuild(catalog, pinned, sent) as CatalogBuild;
  if (typeof sent !== 'string') throw refusedAt('model', 'must be a string', 'invalid_request');
  return (catalog.find(sent) ?? catalog.find(null)) as CatalogBuild;
}

function readInput(node: JsonNode | undefined, images: SentImages, most: number): ShownInput {
  if (node === undefined) throw errorAt('input', 'The request has no `input`, or it is null.', 'missing');
  if (node.kind === 'text') return { state: node, uses: [] };
  if (node.kind === 'array' && node.items.length > 0) return showInput(readItems(node.items, images), most);
  throw refusedAt('input', 'must be a string or a list of at least 1 item', 'invalid_input');
}

/** Throws ApiError `too_many_images` for a question that shows more than `LIMITS.imagesPerQuestion`. */
function usesOf(state: readonly ImageUse[], questions: readonly ReadQuestion[]): ImageUses {
  const most = LIMITS.imagesPerQuestion;
  questions.forEach(({ uses: { instructions } }, index) => {
    if (state.length + instructions.length <= most) return;
    throw errorAt(
      state.length > most ? 'input' : `questions[${index}].instructions`,
      `With \`input\`, \`questions[${index}]\` shows more than the limit of ${most} images; repeated uses count.`,
      'too_many_images',
    );
  });
  return { state, questions: questions.map(({ uses }) => uses) };
}
