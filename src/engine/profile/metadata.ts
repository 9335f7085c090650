import type { ModelDescription } from '../addon/addon-types.js';
import { type Format, ProfileError } from './profile-types.js';

/** Decision types that read the logits of letters, with one prompt per question, and which noul option they list first. */
const LETTER_TYPES: Readonly<Record<string, Format['noulFirst']>> = {
  openjev: 'true',
  nimble: 'false',
  'pplx-decider': 'false',
};

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
  const noulFirst = Object.hasOwn(LETTER_TYPES, type) ? LETTER_TYPES[type] : undefined;
  if (noulFirst === undefined) {
    throw new ProfileError(
      `its decision type ${type} is not answered with letters; supported are ${Object.keys(LETTER_TYPES).join(', ')}`,
    );
  }
  if (template === undefined) {
    throw new ProfileError(`it declares the decision type ${type} but has no template named systemone`);
  }
  return { name: type, template, noulFirst, labelBoundary: 'joined' };
}

function temperatures(metadata: Readonly<Record<string, string>>, prefix: string): Record<string, number> {
  const start = `${prefix}temperature.`;
  const found = Object.entries(metadata).filter(([key]) => key.startsWith(start));
  return Object.fromEntries(found.map(([key, value]) => [key.slice(start.length), Number(value)]));
}
