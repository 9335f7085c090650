import type { Format } from '../types.js';

/**
 * For any chat model: the question in a user turn, the answer letter as the first token of the model's turn.
 * The letter follows a turn marker, so no tokenizer merges it with what stands before.
 */
export const letters: Format = {
  name: 'letters',
  noulFirst: 'true',
  labelBoundary: 'joined',
  template: [
    '{{ chat_head }}State:\n{{ state }}\n\n',
    '{% if instructions is not none %}Question: {{ instructions }}{{ "\\n" }}{% endif %}',
    'Options:\n',
    '{% for option in options %}',
    '{{ option.label }}. ',
    '{% if option.description is none %}{{ option.key }}',
    '{% elif type == "score" %}{{ option.description }}',
    '{% elif type == "noul" %}{{ "Yes" if option.key == "true" else "No" }}: {{ option.description }}',
    '{% else %}{{ option.key }}: {{ option.description }}{% endif %}',
    '{{ "\\n" }}{% endfor %}',
    '{{ "\\n" }}Answer with the letter of one option and nothing else.{{ chat_tail }}',
  ].join(''),
};
