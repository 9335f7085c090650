import Type from 'typebox';
import { ERRORS, LIMITS } from '../api/index.js';

// JSON Schemas of responses (contract 2.4, contract 2.8, contract 2.9), for documentation and tests.

const Probability = Type.Number({ minimum: 0, maximum: 1 });
const byOption = <Schema extends Type.TSchema>(value: Schema, description: string) =>
  Type.Object({}, { additionalProperties: value, minProperties: 1, description });

const NoulAnswerSchema = Type.Object({
  type: Type.Literal('noul'),
  noul: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'The probability of yes, at least 0.80 towards the chosen side.',
  }),
});

const ChoiceAnswerSchema = Type.Object({
  type: Type.Literal('choice'),
  choice: Type.String({ description: 'The chosen label.' }),
  confidence: Probability,
  probabilities: byOption(Probability, 'By label; they sum to 1.'),
});

const ScoreAnswerSchema = Type.Object({
  type: Type.Literal('score'),
  level: Type.Integer({
    minimum: 0,
    maximum: LIMITS.optionsPerQuestion - 1,
    description: 'The most probable level.',
  }),
  score: Type.Number({ minimum: 0, description: 'The mean of the levels’ numbers.' }),
  confidence: Probability,
  legend: byOption(Type.String(), 'What each level means, by its number.'),
  probabilities: byOption(Probability, 'By level; they sum to 1.'),
});

/** Contract 2.4. */
export const DecideResponseSchema = Type.Object(
  {
    model: Type.String({ description: 'The build that answered.' }),
    answers: byOption(
      Type.Union([NoulAnswerSchema, ChoiceAnswerSchema, ScoreAnswerSchema]),
      'One answer per question, under its name.',
    ),
    usage: Type.Object({
      input_tokens: Type.Integer({ minimum: 1 }),
      output_tokens: Type.Integer({ minimum: 1 }),
    }),
  },
  { description: 'The answers.' },
);

/** Contract 2.8. */
export const ModelListSchema = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(
      Type.Object({ id: Type.String(), object: Type.Literal('model'), owned_by: Type.String() }),
    ),
    models: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Type.String(),
        release_date: Type.Union([Type.String({ format: 'date' }), Type.Null()]),
      }),
    ),
  },
  { description: 'The models served.' },
);

/** Contract 4.5. */
export const HealthSchema = Type.Object(
  { status: Type.Literal('ok') },
  { description: 'The server answers.' },
);

/** Contract 2.9. */
export const ErrorSchema = Type.Object(
  {
    error: Type.String({ description: 'One sentence that names the field, the limit and the value.' }),
    type: Type.String({ enum: Object.keys(ERRORS) }),
  },
  { description: 'The reason of an error.' },
);
