import { ApiError, LIMITS } from '../../api/index.js';
import { showCount } from '../../base/index.js';
import type {
  Asset,
  DecideRequest,
  ImageUse,
  ImageUses,
  JsonNode,
  Question,
  QuestionUses,
} from '../decide-types.js';
import { stateText, type TextNode } from '../request/state-text.js';
import { quoteName } from '../request/strings.js';
import { type Found, ReferenceSearch } from './search.js';

/**
 * Finds the image references of a request (contract 4.3). A question has the images of the state and those of its own
 * instructions and descriptions.
 *
 * @throws ApiError `image_reference_truncated`; `too_many_images` if a question has more than
 *   `LIMITS.imagesPerQuestion`; `unreferenced_asset` for an asset without a reference
 */
export function findImageUses({
  state,
  questions,
  assets,
}: Pick<DecideRequest, 'state' | 'questions' | 'assets'>): ImageUses {
  if (assets.length === 0) return { state: [], questions: questions.map(() => NO_USES) };
  const search = new ReferenceSearch(assets.map(({ reference }) => reference));
  const most = LIMITS.imagesPerQuestion;
  const nameOf = (asset: number) => quoteName((assets[asset] as Asset).reference);
  // One more than the limit is enough to refuse the request.
  const inState = findStateUses(state, search, most + 1, nameOf);
  const left = most - inState.length;
  const inQuestions = questions.map((question) => {
    const uses = findQuestionUses(question, (text, json) =>
      json === undefined
        ? search.find(text ?? '', most + 1).map(plainUse)
        : findNodeUses(json, search, most + 1, LIMITS.structuredTextCodePoints).uses,
    );
    if (usesOf(uses).length > left) throw tooMany(question);
    return uses;
  });
  const shown = new Set([...inState, ...inQuestions.flatMap(usesOf)].map(({ asset }) => asset));
  const unshown = assets.findIndex((_, asset) => !shown.has(asset));
  if (unshown >= 0) throw unreferenced(nameOf(unshown));
  return { state: inState, questions: inQuestions };
}

function findQuestionUses(
  { instructions, json, options }: Question,
  find: (text: string | null, json: JsonNode | undefined) => ImageUse[],
): QuestionUses {
  return {
    instructions: find(instructions, json),
    descriptions: options.map((option) => find(option.description, option.json)),
  };
}

const NO_USES: QuestionUses = { instructions: [], descriptions: [] };

const usesOf = ({ instructions, descriptions }: QuestionUses) => [...instructions, ...descriptions.flat()];

function tooMany({ name }: Question): ApiError {
  return new ApiError(
    'too_many_images',
    `With the state, the question ${quoteName(name)} uses more than the limit of ${LIMITS.imagesPerQuestion} images; repeated uses count.`,
  );
}

function unreferenced(name: string): ApiError {
  return new ApiError(
    'unreferenced_asset',
    `The asset ${name} is not used: neither the state nor a question refers to it.`,
  );
}

/**
 * Finds the image references of the state.
 *
 * @param max stops after this many
 * @throws ApiError `image_reference_truncated` for a reference that does not end within the code points that the model reads
 */
function findStateUses(
  state: JsonNode,
  search: ReferenceSearch,
  max: number,
  nameOf: (asset: number) => string,
): ImageUse[] {
  const { uses, length } = findNodeUses(state, search, max, LIMITS.stateCodePoints);
  const beyond = uses.find(({ end }) => end > length);
  if (beyond !== undefined) throw truncated(nameOf(beyond.asset));
  return uses;
}

/**
 * Finds the image references of a text as the model reads it: in the string itself, or in the unescaped string values of
 * JSON in document order; never in keys (contract 4.3 rules 1 and 2). Positions are code units of that text, before
 * references are replaced by images.
 *
 * @param max stops after this many
 * @param maxCodePoints as many of the text as the model reads; `length`: the code units of these
 */
function findNodeUses(
  root: JsonNode,
  search: ReferenceSearch,
  max: number,
  maxCodePoints: number,
): { readonly uses: ImageUse[]; readonly length: number } {
  const found = new Map<TextNode, readonly Found[]>();
  collect(root, search, max, found);
  const starts = new Map<TextNode, number>();
  const { length } = stateText(root, maxCodePoints, (node, start) => {
    if (found.has(node)) starts.set(node, start);
  });
  const uses = [...found].flatMap(([node, each]) => {
    const start = starts.get(node) ?? Number.POSITIVE_INFINITY;
    return node === root ? each.map(plainUse) : escapedUses(node.value, each, start);
  });
  return { uses, length };
}

/** A reference in a string that the model reads as it is. */
const plainUse = ({ start, end, reference }: Found): ImageUse => ({ start, end, asset: reference });

/** @returns how many more may be found */
function collect(
  node: JsonNode,
  search: ReferenceSearch,
  max: number,
  found: Map<TextNode, readonly Found[]>,
): number {
  switch (node.kind) {
    case 'text': {
      const uses = search.find(node.value, max);
      if (uses.length > 0) found.set(node, uses);
      return max - uses.length;
    }
    case 'array':
      return node.items.reduce((left, item) => collect(item, search, left, found), max);
    case 'object':
      return node.entries.reduce((left, [, value]) => collect(value, search, left, found), max);
    case 'literal':
      return max;
  }
}

/** @param start the offset of the JSON string's opening quote */
function escapedUses(value: string, uses: readonly Found[], start: number): ImageUse[] {
  let [at, place] = [0, start + 1];
  const placeOf = (unit: number) => {
    place += JSON.stringify(value.slice(at, unit)).length - 2;
    at = unit;
    return place;
  };
  return uses.map(({ start: from, end, reference }) => ({
    start: placeOf(from),
    end: placeOf(end),
    asset: reference,
  }));
}

function truncated(name: string): ApiError {
  const limit = showCount(LIMITS.stateCodePoints);
  return new ApiError(
    'image_reference_truncated',
    `The state refers to the asset ${name} beyond the first ${limit} characters, which are all that the model reads.`,
  );
}
