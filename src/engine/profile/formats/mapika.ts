import type { Format } from '../types.js';

/**
 * The public format of the mapika decider models (Gemma-4 family): context, question and lettered options
 * in parentheses in the user turn, and the letter read after an opening parenthesis in the model's turn.
 * The format tokenizes the letter apart from the parenthesis, and shows no before yes.
 */
export const mapika: Format = {
  name: 'mapika',
  noulFirst: 'false',
  labelBoundary: 'apart',
  template: [
    '{{ chat_head }}Context:\n{{ state }}',
    '\n\nQuestion: {{ "Which answer fits the context?" if instructions is none else instructions }}\nOptions:',
    '{% for option in options %}',
    '{{ "\\n" }}({{ option.label }}) ',
    '{% if option.description is none %}{{ option.key }}',
    '{% elif type == "noul" %}{{ "yes" if option.key == "true" else "no" }}: {{ option.description }}',
    '{% else %}{{ option.key }}: {{ option.description }}{% endif %}',
    '{% endfor %}',
    '{{ chat_tail }}Answer: (',
  ].join(''),
};
