import Type from 'typebox';
import { IMAGE_BUDGETS, LIMITS } from '../api/index.js';

/**
 * JSON Schemas of a decide request (contract 2.1 to contract 2.3), for documentation and tests. A schema describes a
 * parsed value: repeated names, which parsing merges, and unique labels are checked only in `decide/request`.
 *
 * Maps with callers' names are objects with `additionalProperties`, since a record of typebox ignores keys that contain a
 * newline.
 */

/** Contract 2.1 `state`: any JSON value but `null`. */
const StateSchema = Type.Unsafe<unknown>({
  not: { type: 'null' },
  description: 'The situation. JSON is passed to the model as indented JSON.',
});

/** Contract 2.2: the text of one option. */
const DescriptionSchema = Type.Union([Type.String(), Type.Null()], {
  description: 'What the option means; with `null` the model sees its name.',
});

/** Values that System One clients may send in place of a string, on `/v1/systemone` only. */
const StructuredSchema = Type.Union(
  [Type.String(), Type.Null(), Type.Object({}), Type.Array(Type.Unknown())],
  { description: 'A string, or an object or array, which reaches the model as indented JSON.' },
);

/** `noul` criteria: the two sides under either pair of names, both if `required`. */
function noulCriteria(description: Type.TSchema, required: boolean) {
  const side = required ? description : Type.Optional(description);
  return Type.Union(
    [
      Type.Null(),
      Type.Object({ true: side, false: side }, { additionalProperties: false }),
      Type.Object({ yes: side, no: side }, { additionalProperties: false }),
    ],
    { description: 'What yes and no mean, or left out.' },
  );
}

const LabelSchema = Type.String({ minLength: 1 });

const choiceCriteria = (description: Type.TSchema) =>
  Type.Union(
    [
      Type.Object(
        {},
        {
          additionalProperties: description,
          propertyNames: LabelSchema,
          minProperties: 1,
          maxProperties: LIMITS.optionsPerQuestion,
        },
      ),
      Type.Array(LabelSchema, { minItems: 1, maxItems: LIMITS.optionsPerQuestion }),
    ],
    { description: 'The labels: label to description, or a list of labels. Each label once.' },
  );

const scoreCriteria = (description: Type.TSchema) =>
  Type.Array(description, {
    minItems: LIMITS.scoreLevelsMin,
    maxItems: LIMITS.optionsPerQuestion,
    description: 'The levels, lowest first.',
  });

/**
 * Contract 2.1 `questions`.
 *
 * @param text of instructions and descriptions
 * @param bothSides whether `noul` criteria must describe both
 */
function questionsOf(text: Type.TSchema, bothSides: boolean) {
  const instructions = Type.Optional({
    ...text,
    description: 'The question in plain language; `null` means no instructions.',
  });
  const noul = Type.Object(
    {
      type: Type.Literal('noul'),
      instructions,
      criteria: Type.Optional(noulCriteria(text, bothSides)),
    },
    { description: 'A yes/no question, answered by the probability of yes.' },
  );
  const choice = Type.Object(
    { type: Type.Literal('choice'), instructions, criteria: choiceCriteria(text) },
    { description: 'Pick one label of a set.' },
  );
  const score = Type.Object(
    { type: Type.Literal('score'), instructions, criteria: scoreCriteria(text) },
    { description: 'Pick a level of an ordered scale.' },
  );
  return Type.Object(
    {},
    {
      additionalProperties: Type.Union([noul, choice, score]),
      minProperties: 1,
      maxProperties: LIMITS.questions,
      description: 'The questions by name; answers come back under the same names.',
    },
  );
}

/** Contract 2.1 `model`. */
const ModelSchema = Type.Union([Type.String(), Type.Null()], {
  description: 'An id of the model list; `null` or absent is the default model.',
});

/** Contract 2.1 `image_budget`. */
const ImageBudgetSchema = Type.Union(
  IMAGE_BUDGETS.map((budget) => Type.Literal(budget)),
  { description: 'Maximum input tokens per image; 280 if absent.' },
);

const assetFields = {
  type: Type.Optional(Type.Literal('image')),
  format: Type.Optional(
    Type.Unsafe<unknown>({ description: '`png`, `jpg` or `jpeg`; the bytes must truly be in that format.' }),
  ),
};

/** Contract 2.3: one image. Its bytes are checked separately. */
const AssetSchema = Type.Union([
  Type.Object({
    ...assetFields,
    data_base64: Type.String({ description: 'The file in standard base64.' }),
    part: Type.Optional(Type.Null()),
  }),
  Type.Object({
    ...assetFields,
    part: Type.String({ description: 'The part of a multipart body that holds the file.' }),
    data_base64: Type.Optional(Type.Null()),
  }),
]);

/** Contract 2.3: images by reference. */
const AssetsSchema = Type.Object(
  {},
  {
    additionalProperties: AssetSchema,
    propertyNames: Type.String({ minLength: 1 }),
    maxProperties: LIMITS.assets,
    description: 'Images by reference.',
  },
);

/** Contract 2.1: the body of a decide request. Other fields are ignored. */
export const DecideBody = Type.Object(
  {
    model: Type.Optional(ModelSchema),
    state: StateSchema,
    questions: questionsOf(DescriptionSchema, true),
    image_budget: Type.Optional(ImageBudgetSchema),
    assets: Type.Optional(AssetsSchema),
  },
  { description: 'One state and 1 to 16 questions about it.' },
);

/** Contract 4.2: the body of `/v1/systemone`, which accepts more than `DecideBody`, as System One clients need it. */
export const SystemoneBody = Type.Object(
  {
    ...DecideBody.properties,
    state: Type.Unknown({ description: 'The situation, `null` included.' }),
    questions: questionsOf(StructuredSchema, false),
  },
  { description: 'One state and 1 to 16 questions about it, as System One clients send them.' },
);
