import type { ModelDescription } from '../addon/addon-types.js';
import { type Format, ProfileError } from './profile-types.js';

/** What becomes of a model that declares a decision type. */
type DecisionType =
  /** Its answers are the logits of letters, with one prompt per question. Which option of a noul it lists first. */
  | { readonly noulFirst: Format['noulFirst'] }
  /** It answers in another way, which is not implemented. */
  | { readonly refused: string };

/** The decision types of public models. */
export const DECISION_TYPES: Readonly<Record<string, DecisionType>> = {
  openjev: { noulFirst: 'true' },
  nimble: { noulFirst: 'false' },
  'pplx-decider': { noulFirst: 'false' },
  lev: { refused: 'it answers yes or no on a scale of nine ratings' },
  kev: { refused: 'it compares hidden states' },
  laya: { refused: 'it is an encoder that scores a marker before each option' },
  clef: { refused: 'a part of the model of its own answers all questions together' },
};

/** The types that are answered. */
export const LETTER_TYPES: readonly string[] = Object.entries(DECISION_TYPES).flatMap(([type, each]) =>
  'noulFirst' in each ? [type] : [],
);

/** A GGUF's metadata as a decision model. */
interface DecisionMetadata {
  readonly format: Format | null;
  readonly temperatures: Readonly<Record<string, number>>;
}

/**
 * Reads `<architecture>.decision.*` and `tokenizer.chat_template.systemone`. A GGUF that declares a kind of
 * decision model whose answers are not letter logits is refused: its answers to letters would be wrong.
 */
export function readDecisionMetadata(description: ModelDescription): DecisionMetadata {
  const { metadata } = description;
  const prefix = `${metadata['general.architecture']}.decision.`;
  const type = metadata[`${prefix}type`];
  const template = metadata['tokenizer.chat_template.systemone'];
  return { format: declaredFormat(type, template), temperatures: temperatures(metadata, prefix) };
}

function declaredFormat(type: string | undefined, template: string | undefined): Format | null {
  if (type === undefined) return null;
  const known = Object.hasOwn(DECISION_TYPES, type) ? DECISION_TYPES[type] : undefined;
  if (known === undefined || 'refused' in known) {
    const reason = known === undefined ? '' : `: ${known.refused}`;
    throw new ProfileError(
      `its decision type ${type} is not answered with letters${reason}; supported are ${LETTER_TYPES.join(', ')}`,
    );
  }
  if (template === undefined) {
    throw new ProfileError(`it declares the decision type ${type} but has no template named systemone`);
  }
  return { name: type, template, noulFirst: known.noulFirst, labelBoundary: 'joined' };
}

function temperatures(metadata: Readonly<Record<string, string>>, prefix: string): Record<string, number> {
  const start = `${prefix}temperature.`;
  const found = Object.entries(metadata).filter(([key]) => key.startsWith(start));
  return Object.fromEntries(found.map(([key, value]) => [key.slice(start.length), Number(value)]));
}
