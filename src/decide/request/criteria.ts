import { ApiError, LIMITS, OPTION_KINDS, type OptionKind, type QuestionType } from '../../api/index.js';
import type { JsonNode, Option } from '../decide-types.js';
import { firstRepeated, jsonOf, textOrNull } from './json-fields.js';
import { quoteName } from './strings.js';

/**
 * Reads a question's criteria as options (contract 2.2).
 *
 * @param subject what error messages call the question
 * @param criteria `undefined` if absent or `null`
 * @returns sides: `true`, then `false`; labels: as sent; levels: lowest first
 * @throws ApiError `invalid_question` for invalid criteria, `too_many_options` for more than 26 valid ones
 */
export function readOptions(subject: string, type: QuestionType, criteria: JsonNode | undefined): Option[] {
  const options = READERS[OPTION_KINDS[type]](subject, criteria);
  if (options.length > LIMITS.optionsPerQuestion) {
    throw new ApiError(
      'too_many_options',
      `${subject} has ${options.length} options in \`criteria\`; the limit is ${LIMITS.optionsPerQuestion} options per choice or score.`,
    );
  }
  return options;
}

const READERS: Record<OptionKind, (subject: string, criteria: JsonNode | undefined) => Option[]> = {
  sides: noulOptions,
  labels: choiceOptions,
  levels: scoreOptions,
};

function noulOptions(subject: string, criteria: JsonNode | undefined): Option[] {
  if (criteria === undefined) return noulPair(NONE, NONE);
  const entries = criteria.kind === 'object' ? criteria.entries : [];
  for (const [yes, no] of [
    ['true', 'false'],
    ['yes', 'no'],
  ]) {
    const whenYes = entries.find(([key]) => key === yes)?.[1];
    const whenNo = entries.find(([key]) => key === no)?.[1];
    if (entries.length === 2 && whenYes !== undefined && whenNo !== undefined) {
      return noulPair(description(subject, whenYes), description(subject, whenNo));
    }
  }
  throw invalid(subject, 'must be an object with exactly `true` and `false`, or exactly `yes` and `no`');
}

/** What an option has of its description. */
type Described = Pick<Option, 'description' | 'json'>;

const NONE: Described = { description: null };

function noulPair(whenYes: Described, whenNo: Described): Option[] {
  return [option('true', 'Yes', whenYes), option('false', 'No', whenNo)];
}

function choiceOptions(subject: string, criteria: JsonNode | undefined): Option[] {
  const options = labelled(subject, criteria);
  if (options.length === 0) throw invalid(subject, 'has 0 options; a choice has at least 1');
  if (options.some(({ key }) => key === '')) throw invalid(subject, 'holds an empty label');
  const repeated = firstRepeated(options.map(({ key }) => key));
  if (repeated !== undefined) throw invalid(subject, `holds the label ${quoteName(repeated)} twice`);
  return options;
}

/** The options of a label-to-description object or of a list of labels; the labels are not checked yet. */
function labelled(subject: string, criteria: JsonNode | undefined): Option[] {
  if (criteria?.kind === 'object') {
    return criteria.entries.map(([label, node]) => option(label, label, description(subject, node)));
  }
  if (criteria?.kind === 'array') {
    return criteria.items.map((item) => {
      if (item.kind !== 'text') throw invalid(subject, 'is a list with an item that is not a string');
      return option(item.value, item.value, NONE);
    });
  }
  throw invalid(subject, 'must be an object of label to description, or a list of labels');
}

function scoreOptions(subject: string, criteria: JsonNode | undefined): Option[] {
  if (criteria?.kind !== 'array') throw invalid(subject, 'must be a list of level descriptions');
  const levels = criteria.items.map((item, level) =>
    option(String(level), `Level ${level}`, description(subject, item)),
  );
  if (levels.length < LIMITS.scoreLevelsMin) {
    throw invalid(
      subject,
      `has too few levels: ${levels.length}; a score has at least ${LIMITS.scoreLevelsMin}`,
    );
  }
  return levels;
}

function option(key: string, name: string, described: Described): Option {
  return { key, name, ...described };
}

function description(subject: string, node: JsonNode): Described {
  const text = textOrNull(node);
  if (text === undefined) throw invalid(subject, 'holds a description that is neither a string nor null');
  return { description: text, ...jsonOf(node) };
}

function invalid(subject: string, what: string): ApiError {
  return new ApiError('invalid_question', `${subject}: \`criteria\` ${what}.`);
}
