import Type from 'typebox';
import { IMAGE_BUDGETS, LIMITS } from './limits.js';

/**
 * JSON Schemas of a decide request (contract 2.1 to 2.3), for documentation and for checks of values that
 * `JSON.parse` has read. They say what a schema can say of a parsed value: repeated names, which parsing
 * merges, and unique labels are checked by the reader of `decide/request` alone.
 *
 * Maps with callers' names are objects with `additionalProperties`, since a record of typebox does not look
 * at keys that hold a newline.
 */

/** Contract 2.1 `state`: any JSON value but `null`. */
export const StateSchema = Type.Unsafe<unknown>({
  not: { type: 'null' },
  description: 'The situation. JSON is passed to the model as indented JSON.',
});

/** Contract 2.2: the text of one option. */
export const DescriptionSchema = Type.Union([Type.String(), Type.Null()], {
  description: 'What the option means; `null` shows it by its name.',
});

const InstructionsSchema = Type.Optional(
  Type.Union([Type.String(), Type.Null()], {
    description: 'The question in plain language; `null` means no instructions.',
  }),
);

const NoulCriteriaSchema = Type.Union(
  [
    Type.Null(),
    Type.Object({ true: DescriptionSchema, false: DescriptionSchema }, { additionalProperties: false }),
    Type.Object({ yes: DescriptionSchema, no: DescriptionSchema }, { additionalProperties: false }),
  ],
  { description: 'What yes and no mean; both sides, or left out.' },
);

const LabelSchema = Type.String({ minLength: 1 });

const ChoiceCriteriaSchema = Type.Union(
  [
    Type.Object(
      {},
      {
        additionalProperties: DescriptionSchema,
        propertyNames: LabelSchema,
        minProperties: 1,
        maxProperties: LIMITS.optionsPerQuestion,
      },
    ),
    Type.Array(LabelSchema, { minItems: 1, maxItems: LIMITS.optionsPerQuestion }),
  ],
  { description: 'The labels: label to description, or a list of labels. Each label once.' },
);

const ScoreCriteriaSchema = Type.Array(DescriptionSchema, {
  minItems: LIMITS.scoreLevelsMin,
  maxItems: LIMITS.optionsPerQuestion,
  description: 'The levels, lowest first.',
});

/** Contract 2.2: a yes/no question. */
export const NoulQuestionSchema = Type.Object(
  {
    type: Type.Literal('noul'),
    instructions: InstructionsSchema,
    criteria: Type.Optional(NoulCriteriaSchema),
  },
  { description: 'A yes/no question, answered by the probability of yes.' },
);

/** Contract 2.2: a question that picks one label of a set. */
export const ChoiceQuestionSchema = Type.Object(
  { type: Type.Literal('choice'), instructions: InstructionsSchema, criteria: ChoiceCriteriaSchema },
  { description: 'Pick one label of a set.' },
);

/** Contract 2.2: a question that picks a level of an ordered scale. */
export const ScoreQuestionSchema = Type.Object(
  { type: Type.Literal('score'), instructions: InstructionsSchema, criteria: ScoreCriteriaSchema },
  { description: 'Pick a level of an ordered scale.' },
);

/** Contract 2.2: a question of any type. */
export const QuestionSchema = Type.Union([NoulQuestionSchema, ChoiceQuestionSchema, ScoreQuestionSchema]);

/** Contract 2.1 `questions`. */
export const QuestionsSchema = Type.Object(
  {},
  {
    additionalProperties: QuestionSchema,
    minProperties: 1,
    maxProperties: LIMITS.questions,
    description: 'The questions by name; answers come back under the same names.',
  },
);

/** Contract 2.1 `model`. */
export const ModelSchema = Type.Union([Type.String(), Type.Null()], {
  description: 'An id of the model list; `null` or absent is the default model.',
});

/** Contract 2.1 `image_budget`. */
export const ImageBudgetSchema = Type.Union(
  [...IMAGE_BUDGETS.map((budget) => Type.Literal(budget)), Type.Null()],
  { description: 'Most input tokens one image may use; 280 where `null` or absent.' },
);

/** Contract 2.3: images by reference, their entries not looked at. */
export const AssetsSchema = Type.Union([Type.Object({}), Type.Null()], {
  description: 'Images by reference.',
});

/** Contract 2.1: the body of a decide request. Other fields are ignored. */
export const DecideBody = Type.Object(
  {
    model: Type.Optional(ModelSchema),
    state: StateSchema,
    questions: QuestionsSchema,
    image_budget: Type.Optional(ImageBudgetSchema),
    assets: Type.Optional(AssetsSchema),
  },
  { description: 'One state and 1 to 16 questions about it.' },
);
