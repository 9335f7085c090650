import { OperatorError } from '../../base/index.js';
import { type CatalogBuild, ProfileError, readTemperatures } from '../../engine/index.js';
import type { AnsweredQuestion } from '../answered.js';

/**
 * The temperature in force for a question: what was fitted for the build, as the manifest has it now. For a type without
 * one it is the temperature of the answer, since a fit replaces only those of its types. Throws OperatorError if the
 * manifest has temperatures that cannot be used.
 *
 * @param build undefined: the manifest has no such build
 */
export function temperaturesInForce(
  build: Pick<CatalogBuild, 'id' | 'temperatures'> | undefined,
): (question: AnsweredQuestion) => number {
  if (build === undefined) return ofAnswer;
  const types = new Set(Object.keys(build.temperatures).map((key) => key.split('.')[0]));
  const fitted = read(build);
  return (question) =>
    types.has(question.type) ? fitted.of(question.type, question.options.length) : ofAnswer(question);
}

const ofAnswer = ({ temperature }: AnsweredQuestion): number => temperature as number;

function read({ id, temperatures }: Pick<CatalogBuild, 'id' | 'temperatures'>) {
  try {
    return readTemperatures({}, temperatures);
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    throw new OperatorError(`the manifest entry of ${id} cannot be used: ${error.message}.`);
  }
}
