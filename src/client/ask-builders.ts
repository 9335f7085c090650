import type {
  ChoiceQuestion,
  MappedChoiceQuestion,
  NoulQuestion,
  OptionText,
  ScoreQuestion,
} from './client-types.js';
import { requireLabelOrder } from './label-order.js';

/** A yes-or-no question. `criteria`: what yes and no mean. */
export function noul(instructions?: string | null, criteria?: NoulQuestion['criteria']): NoulQuestion {
  return { type: 'noul', ...given(instructions), ...(criteria !== undefined && { criteria }) };
}

/**
 * A choice of one label. `criteria`: the labels, or what each of them means. Throws TypeError for an object with labels that
 * are whole numbers, whose order JavaScript changes: give a `Map`.
 */
export function choice<const Label extends string>(
  instructions: string | null,
  criteria: ReadonlyMap<Label, OptionText>,
): MappedChoiceQuestion<Label>;
export function choice<const Label extends string>(
  instructions: string | null,
  criteria: readonly Label[] | Readonly<Record<Label, OptionText>>,
): ChoiceQuestion<Label>;
export function choice(
  instructions: string | null,
  criteria: (ChoiceQuestion | MappedChoiceQuestion)['criteria'],
): object {
  requireLabelOrder(criteria, 'criteria');
  return { type: 'choice', ...given(instructions), criteria };
}

/** A level of a scale. `criteria`: what each level means, lowest first. */
export function score(instructions: string | null, criteria: readonly OptionText[]): ScoreQuestion {
  return { type: 'score', ...given(instructions), criteria };
}

const given = (instructions: string | null | undefined) =>
  instructions === undefined || instructions === null ? {} : { instructions };
