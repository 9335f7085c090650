import { DEFAULT_IMAGE_BUDGET, LIMITS, OPTION_KINDS } from '../../api/index.js';
import { OperatorError } from '../../base/index.js';
import { ANY_MODEL, checkRequest } from '../check-request.js';
import type {
  Asset,
  DecideRequest,
  ImageUse,
  JsonNode,
  Option,
  Question,
  QuestionUses,
} from '../decide-types.js';
import { openBody } from '../request/open-body.js';
import { stateText } from '../request/state-text.js';
import { truncateCodePoints } from '../request/strings.js';

const NO_FILES = new Map<string, Uint8Array>();
const TERMS = { model: null, files: NO_FILES, format: 'decide', allowedModels: null } as const;
/** `/v1/decisions` requires a model; one that is not served is answered by the default model. */
const ANY = 'default';
/** The budget that `detail` chooses with `low`; anything else chooses the largest, which is the default. */
const LOW_BUDGET = 70;

/**
 * Writes a decide request as clients of `/v1/decisions` do. A state that is an object, or a list of objects, becomes a JSON
 * part, any other one the text that the model reads; text around images becomes parts. The criteria of a noul have no field
 * there and are appended to its instructions; levels are labelled with their numbers; both as `@ai-sdk/openai` does.
 *
 * @param body a valid request in JSON, with images in base64
 * @throws ApiError if it is not valid, OperatorError for an image in a description, or with a budget that `detail` does not
 *   have
 */
export function decisionsBody(body: Uint8Array): string {
  const { request, uses } = checkRequest(openBody(body), TERMS, ANY_MODEL);
  requireBudget(request);
  const questions = request.questions.map((question, at) =>
    questionJson(question, uses.questions[at], (text, found) => contentJson(text, found, request)),
  );
  const model = JSON.stringify(request.model ?? ANY);
  return `{"model":${model},"input":${inputJson(request, uses.state)},"questions":[${questions.join(',')}]}`;
}

/** Throws OperatorError. */
function requireBudget({ assets, imageBudget }: DecideRequest): void {
  if (assets.length === 0 || [LOW_BUDGET, DEFAULT_IMAGE_BUDGET].includes(imageBudget)) return;
  throw new OperatorError(
    `A case has images with the \`image_budget\` ${imageBudget}, which /v1/decisions does not have: only ${LOW_BUDGET} and ${DEFAULT_IMAGE_BUDGET}.`,
  );
}

/** The state as the model reads it: of a long one its beginning, which is no JSON any more. */
function inputJson(request: DecideRequest, uses: readonly ImageUse[]): string {
  const { state } = request;
  const most = LIMITS.stateCodePoints;
  const whole = stateText(state, most + 1);
  const text = truncateCodePoints(whole, most);
  if (uses.length > 0) return `[{"role":"user","content":${contentJson(text, uses, request)}}]`;
  if (!isData(state) || text !== whole) return JSON.stringify(text);
  return `[{"role":"user","content":[{"type":"input_json","data":${text}}]}]`;
}

/** What a JSON part can hold. */
const isData = (node: JsonNode): boolean =>
  node.kind === 'object' ||
  (node.kind === 'array' && node.items.length > 0 && node.items.every(({ kind }) => kind === 'object'));

type ContentJson = (text: string, uses: readonly ImageUse[]) => string;

function questionJson(
  { name, type, instructions, options }: Question,
  uses: QuestionUses | undefined,
  content: ContentJson,
): string {
  if (uses?.descriptions.some((each) => each.length > 0)) {
    throw new OperatorError(
      `The question ${JSON.stringify(name)} shows an image in a description, which /v1/decisions does not have.`,
    );
  }
  const kind = OPTION_KINDS[type];
  const sides = kind === 'sides' ? options.flatMap(sideText) : [];
  const asked = [instructions ?? '', ...sides].filter((text) => text !== '').join('\n\n');
  const isAsked = instructions !== null || sides.length > 0;
  const fields = [
    `"type":"${TYPES[kind]}"`,
    `"name":${JSON.stringify(name)}`,
    ...(isAsked ? [`"instructions":${content(asked, uses?.instructions ?? [])}`] : []),
  ];
  if (kind === 'labels') {
    const choices = options.map(({ key, description }) => described({ value: key }, description));
    fields.push(`"choices":${JSON.stringify(choices)}`);
  }
  if (kind === 'levels') {
    const levels = options.map(({ key, description }) => described({ label: key }, description));
    fields.push(`"levels":${JSON.stringify(levels)}`);
  }
  return `{${fields.join(',')}}`;
}

const sideText = ({ key, description }: Option): string[] =>
  description === null ? [] : [`Criteria for ${key}:\n${description}`];

const TYPES = { sides: 'predicate', labels: 'choice', levels: 'score' } as const;

const described = <T extends object>(option: T, description: string | null) =>
  description === null ? option : { ...option, description };

/** A string, or parts where images are shown. */
function contentJson(
  text: string,
  uses: readonly ImageUse[],
  { assets, imageBudget }: DecideRequest,
): string {
  if (uses.length === 0) return JSON.stringify(text);
  const parts: object[] = [];
  const add = (from: number, to: number) => {
    if (to > from) parts.push({ type: 'input_text', text: text.slice(from, to) });
  };
  let at = 0;
  for (const { start, end, asset } of uses) {
    add(at, start);
    const detail = imageBudget === LOW_BUDGET ? { detail: 'low' } : {};
    parts.push({ type: 'input_image', image_url: dataUrl(assets[asset] as Asset), ...detail });
    at = end;
  }
  add(at, text.length);
  return JSON.stringify(parts);
}

const dataUrl = ({ format, source }: Asset): string =>
  `data:image/${format ?? 'png'};base64,${source.of === 'base64' ? source.text : ''}`;
