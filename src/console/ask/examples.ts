import { type Draft, option, question } from './ask-draft.js';

/** A request to begin with. */
export interface Example {
  readonly title: string;
  readonly readsImages: boolean;
  /** Whether a model that is trained for short support messages and small records answers it. */
  readonly isSimple: boolean;
  readonly draft: () => Partial<Draft>;
}

const ORDER = `{
  "order": 4711,
  "customer": { "since": 2019, "orders": 38 },
  "lines": [
    { "sku": "A-1", "name": "Desk lamp", "qty": 2, "price": 39.95 },
    { "sku": "K-7", "name": "Gift wrap", "qty": 1, "price": 3.75 }
  ],
  "note": "Please no invoice in the parcel."
}`;

const SMALL_RECORD = `{
  "order": 4711,
  "status": "shipped",
  "paid": true,
  "items": 2
}`;

export const EXAMPLES: readonly Example[] = [
  {
    title: 'Support message',
    readsImages: false,
    isSimple: true,
    draft: () => ({
      stateKind: 'text',
      state: 'My card was charged twice, and nobody has answered me for three days!',
      images: [],
      questionsKind: 'form',
      questions: [
        question('angry', 'noul', 'Is the customer angry?'),
        question('team', 'choice', 'Who should handle this?', [
          option('billing', 'Payments and refunds'),
          option('technical', 'Defects and outages'),
          option('sales', 'Offers and contracts'),
        ]),
        question('urgency', 'score', 'How urgent is it?', [
          option('', 'can wait'),
          option('', 'this week'),
          option('', 'today'),
          option('', 'now'),
        ]),
      ],
    }),
  },
  {
    title: 'Damaged parcel',
    readsImages: false,
    isSimple: true,
    draft: () => ({
      stateKind: 'text',
      state: 'The parcel arrived today, but the glass jar in it is broken. Please send me a new one.',
      images: [],
      questionsKind: 'form',
      questions: [
        question('damaged', 'noul', 'Did something arrive damaged?'),
        question('wish', 'choice', 'What does the customer want?', [
          option('replacement'),
          option('refund'),
          option('information'),
        ]),
      ],
    }),
  },
  {
    title: 'Small record',
    readsImages: false,
    isSimple: true,
    draft: () => ({
      stateKind: 'json',
      state: SMALL_RECORD,
      images: [],
      questionsKind: 'form',
      questions: [
        question('paid', 'noul', 'Is the order paid?'),
        question('status', 'choice', 'What is the status of the order?', [
          option('open'),
          option('shipped'),
          option('cancelled'),
        ]),
      ],
    }),
  },
  {
    title: 'Order as JSON',
    readsImages: false,
    isSimple: false,
    draft: () => ({
      stateKind: 'json',
      state: ORDER,
      images: [],
      questionsKind: 'form',
      questions: [
        question('gift', 'noul', 'Is the order a present?', [
          option('Yes', 'Somebody else receives it.'),
          option('No', 'It is for the buyer.'),
        ]),
        question('next step', 'choice', '', [
          option('ship', 'Nothing is missing.'),
          option('ask', 'Something must be clarified with the buyer first.'),
        ]),
      ],
    }),
  },
  {
    title: 'Moderation of a comment',
    readsImages: false,
    isSimple: false,
    draft: () => ({
      stateKind: 'text',
      state: 'Great write-up. Though whoever designed that login page should be banned from computers.',
      images: [],
      questionsKind: 'form',
      questions: [
        question('insult', 'noul', 'Does the comment insult a person?'),
        question('tone', 'score', 'What is its tone?', [
          option('', 'hostile'),
          option('', 'critical'),
          option('', 'neutral'),
          option('', 'friendly'),
        ]),
      ],
    }),
  },
  {
    title: 'Two shapes in an image',
    readsImages: true,
    isSimple: false,
    draft: () => ({
      stateKind: 'text',
      state: 'The picture: [shapes.png]',
      questionsKind: 'form',
      questions: [
        question('circle', 'noul', 'Does the picture show a circle?'),
        question('left', 'choice', 'Which shape is on the left?', [option('circle'), option('square')]),
      ],
    }),
  },
];

/**
 * The examples that a model can answer.
 *
 * @param domain what the model was trained for, if that is narrow; null: for anything
 * @param readsImages whether any model reads images
 */
export const examplesFor = (domain: string | null, readsImages: boolean): Example[] =>
  EXAMPLES.filter((each) => (each.readsImages ? readsImages : domain === null || each.isSimple));

/** What the page shows first. */
export const FIRST_DRAFT: Draft = {
  stateKind: 'text',
  state: '',
  images: [],
  questionsKind: 'form',
  questions: [],
  questionsJson: '{}',
  model: '',
  imageBudget: 280,
  ...EXAMPLES[0]?.draft(),
};
