import { ApiError, LIMITS } from '../../api/index.js';
import { quoteName } from '../request/index.js';
import type { Asset, DecideRequest, ImageUse, ImageUses, Question, QuestionUses } from '../types.js';
import { ReferenceSearch } from './search.js';
import { findStateUses, plainUse } from './state-uses.js';

/**
 * Where a request shows its images (contract 4.3). Every image of the state and those of a question's own instructions
 * and descriptions are shown in that question.
 *
 * @throws ApiError `image_reference_truncated`; `too_many_images` where a question would show more than
 *   `LIMITS.imagesPerQuestion`; `unreferenced_asset` for an asset that is shown nowhere
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
  // One more than a question may show: what lies behind it changes nothing any more.
  const inState = findStateUses(state, search, most + 1, nameOf);
  const left = most - inState.length;
  const inQuestions = questions.map((question) => {
    const uses = findQuestionUses(question, (text) => search.find(text, most + 1).map(plainUse));
    if (usesOf(uses).length > left) throw tooMany(question);
    return uses;
  });
  const shown = new Set([...inState, ...inQuestions.flatMap(usesOf)].map(({ asset }) => asset));
  const unshown = assets.findIndex((_, asset) => !shown.has(asset));
  if (unshown >= 0) throw unreferenced(nameOf(unshown));
  return { state: inState, questions: inQuestions };
}

function findQuestionUses(question: Question, find: (text: string) => ImageUse[]): QuestionUses {
  return {
    instructions: find(question.instructions ?? ''),
    descriptions: question.options.map(({ description }) => find(description ?? '')),
  };
}

const NO_USES: QuestionUses = { instructions: [], descriptions: [] };

const usesOf = ({ instructions, descriptions }: QuestionUses) => [...instructions, ...descriptions.flat()];

function tooMany({ name }: Question): ApiError {
  return new ApiError(
    'too_many_images',
    `With the state, the question ${quoteName(name)} shows more than the limit of ${LIMITS.imagesPerQuestion} images; every use counts.`,
  );
}

function unreferenced(name: string): ApiError {
  return new ApiError(
    'unreferenced_asset',
    `The asset ${name} is shown nowhere: neither the state nor a question refers to it.`,
  );
}
