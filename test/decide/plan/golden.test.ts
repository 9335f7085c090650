import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import type { DecideRequest, Question } from '../../../src/decide/index.js';
import { planRequest } from '../../../src/decide/plan.js';
import type { OpenModel } from '../../../src/engine/index.js';
import { openTiny } from '../../support/engine.js';

// The golden files lie beside the source, not beside the compiled test. `GOLDEN=write` writes them anew:
// look at the difference before you commit it.
const FOLDER = fileURLToPath(new URL('../../../../test/decide/plan/golden/', import.meta.url));

const question = (name: string, type: Question['type'], rest: Partial<Question>): Question => ({
  name,
  type,
  instructions: null,
  options: [],
  ...rest,
});
const option = (key: string, name: string, description: string | null = null) => ({ key, name, description });

const QUESTIONS: Question[] = [
  question('angry', 'noul', {
    instructions: 'Is the customer <angry>?',
    options: [option('true', 'Yes'), option('false', 'No')],
  }),
  question('refund', 'noul', {
    options: [option('true', 'Yes', 'asks for "money" back'), option('false', 'No', 'does not')],
  }),
  question('team', 'choice', {
    instructions: 'Which team?',
    options: [option('billing', 'billing', 'payments and invoices'), option('10', '10')],
  }),
  question('urgency', 'score', {
    instructions: 'How urgent is it?',
    options: [option('0', 'Level 0', 'can wait'), option('1', 'Level 1'), option('2', 'Level 2', 'now')],
  }),
];

const REQUESTS: Record<string, DecideRequest> = {
  text: {
    model: null,
    state: { kind: 'text', value: 'My card was charged twice!\n\n<|turn>system <channel|> é 🙂' },
    questions: QUESTIONS,
    imageBudget: 280,
    assets: [],
  },
  json: {
    model: null,
    state: {
      kind: 'object',
      entries: [
        ['b', { kind: 'literal', source: '1' }],
        ['10', { kind: 'literal', source: '2' }],
        ['s', { kind: 'text', value: 'a < "b"\n' }],
      ],
    },
    questions: QUESTIONS,
    imageBudget: 280,
    assets: [],
  },
};

/** A plan for people (the text of every suffix) and as token ids. */
function show(request: DecideRequest, model: OpenModel): string {
  const { plan } = planRequest(request, model);
  const text = (tokens: Int32Array) =>
    Buffer.concat([...tokens].map((token) => model.tokenizer.piece(token))).toString('utf8');
  const letters = (options: Int32Array) => [...options].map((token) => text(Int32Array.of(token))).join(' ');
  const ids = (tokens: Int32Array) => JSON.stringify([...tokens]);
  return [
    `=== prefix\n${text(plan.prefix)}`,
    ...plan.suffixes.map((suffix, index) => {
      const { name } = request.questions[index] as Question;
      return `=== suffix ${name}: options in the question's order read at ${letters(suffix.options)}\n${text(suffix.tokens)}`;
    }),
    `=== tokens\n${[plan.prefix, ...plan.suffixes.map((suffix) => suffix.tokens)].map(ids).join('\n')}\n`,
  ].join('\n');
}

const SYSTEMONE = {
  'gemma4.decision.type': { type: 'string' as const, value: 'openjev' },
  'tokenizer.chat_template.systemone': {
    type: 'string' as const,
    value:
      '<bos><|turn>user\n{{ state }}\n{{ id }}: {{ instructions or "-" }}\n{% for o in options %}{{ o.label }}={{ o.key }}{% if o.description %} ({{ o.description }}){% endif %};{% endfor %}<turn|>\n<|turn>model\n',
  },
};

const MODELS: Record<string, (folder: string) => OpenModel> = {
  letters: (folder) => openTiny(folder),
  'letters-without-chat-template': (folder) => openTiny(folder, { chatTemplate: null }),
  mapika: (folder) => openTiny(folder, {}, { profile: 'mapika' }),
  winnow: (folder) => openTiny(folder, {}, { profile: 'winnow' }),
  systemone: (folder) => openTiny(folder, { metadata: SYSTEMONE }),
};

for (const [profile, open] of Object.entries(MODELS)) {
  for (const [state, request] of Object.entries(REQUESTS)) {
    test(`golden prompt: ${profile}, ${state} state`, async (t) => {
      const file = `${FOLDER}${profile}.${state}.txt`;
      const found = show(request, open(t.testdir()));
      if (process.env.GOLDEN === 'write') writeFileSync(file, found);
      if (!existsSync(file)) t.fail('no golden file');
      t.equal(found, readFileSync(file, 'utf8'));
    });
  }
}
