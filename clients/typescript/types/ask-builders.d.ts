import type { ChoiceQuestion, MappedChoiceQuestion, NoulQuestion, OptionText, ScoreQuestion } from './client-types.js';
/** A yes-or-no question. `criteria`: what yes and no mean. */
export declare function noul(instructions?: string | null, criteria?: NoulQuestion['criteria']): NoulQuestion;
/**
 * A choice of one label. `criteria`: the labels, or what each of them means. Throws TypeError for an object with labels that
 * are whole numbers, whose order JavaScript changes: give a `Map`.
 */
export declare function choice<const Label extends string>(instructions: string | null, criteria: ReadonlyMap<Label, OptionText>): MappedChoiceQuestion<Label>;
export declare function choice<const Label extends string>(instructions: string | null, criteria: readonly Label[] | Readonly<Record<Label, OptionText>>): ChoiceQuestion<Label>;
/** A level of a scale. `criteria`: what each level means, lowest first. */
export declare function score(instructions: string | null, criteria: readonly OptionText[]): ScoreQuestion;
