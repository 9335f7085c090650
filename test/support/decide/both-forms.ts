import { commit, roundProbabilities, UNITS } from '../../../src/decide/index.js';
import type { Random } from '../random.js';

/** A request in the form of `/v1/decide` and in that of `/v1/decisions`, which ask the model the same. */
export interface BothForms {
  readonly decide: { readonly state: unknown; readonly questions: Readonly<Record<string, DecideQuestion>> };
  readonly decisions: object;
}

interface DecideQuestion {
  readonly type: 'noul' | 'choice' | 'score';
  readonly instructions: string | null;
  readonly criteria?: unknown;
}

const WORDS = 'the parcel was lost é and nobody <|turn> "answers" my\nmail about a refund 漢 {x} user:'.split(
  ' ',
);

/** A random request of all types of questions, with or without names of its own, instructions and descriptions. */
export function bothForms(random: Random): BothForms {
  const text = (words: number) => Array.from({ length: words }, () => random.pick(WORDS)).join(' ');
  const maybe = (words: number) => (random.integer(3) === 0 ? null : text(words));
  const [state, input] = inputs(random, text);
  const count = 1 + random.integer(5);
  const pairs = Array.from({ length: count }, (_, index) => {
    const instructions = maybe(1 + random.integer(8));
    const options = Array.from({ length: 2 + random.integer(random.integer(8) === 0 ? 25 : 5) }, (_, at) => ({
      label: `${text(1)} ${at}`,
      description: random.integer(2) === 0 ? null : text(2),
    }));
    return both(random, `q${index}`, instructions, options);
  });
  return {
    decide: { state, questions: Object.fromEntries(pairs.map(([name, decide]) => [name, decide])) },
    decisions: { model: 'tiny', input, questions: pairs.map(([, , decisions]) => decisions) },
  };
}

/** The same state in both forms. */
function inputs(random: Random, text: (words: number) => string): [state: unknown, input: unknown] {
  const state = text(1 + random.integer(40));
  const part = { type: 'input_text', text: state };
  const json = { b: [1, 2.5, { c: text(3) }], 'x"y': null, a: text(2), n: -1e21 };
  switch (random.integer(4)) {
    case 0:
      return [state, state];
    case 1:
      return [state, [{ role: 'user', content: state }]];
    case 2:
      return [state, [{ type: 'message', role: 'user', content: [part] }]];
    default:
      return [json, [{ role: 'user', content: [{ type: 'input_json', data: json }] }]];
  }
}

interface SentOption {
  readonly label: string;
  readonly description: string | null;
}

function both(
  random: Random,
  name: string,
  instructions: string | null,
  options: readonly SentOption[],
): [name: string, decide: DecideQuestion, decisions: object] {
  const sent =
    instructions !== null && random.integer(2) === 0
      ? [{ type: 'input_text', text: instructions }]
      : instructions;
  const common = { name, ...(sent === null && random.integer(2) === 0 ? {} : { instructions: sent }) };
  switch (random.pick(['noul', 'choice', 'score'] as const)) {
    case 'noul':
      return [name, { type: 'noul', instructions }, { type: 'predicate', ...common }];
    case 'choice': {
      const criteria = Object.fromEntries(options.map(({ label, description }) => [label, description]));
      const choices = options.map(({ label, description }) => ({
        value: label,
        ...(description === null ? {} : { description }),
      }));
      return [name, { type: 'choice', instructions, criteria }, { type: 'choice', ...common, choices }];
    }
    case 'score': {
      // A level is either numbered, or described by its label, or both.
      const labelled = options.map(({ label, description }, level) => {
        const kind = random.integer(3);
        if (kind === 0) return [description, { label: String(level), description }] as const;
        if (kind === 1) return [label, { label }] as const;
        return [`${label}: ${description ?? ''}`, { label, description: description ?? '' }] as const;
      });
      return [
        name,
        { type: 'score', instructions, criteria: labelled.map(([criterion]) => criterion) },
        { type: 'score', ...common, levels: labelled.map(([, level]) => level) },
      ];
    }
  }
}

/**
 * The response of `/v1/decisions`, byte by byte, that follows from a response of `/v1/decide` with `raw_probabilities`.
 * Nothing comes from the prefix cache.
 */
// biome-ignore lint/suspicious/noExplicitAny: what came back is what the test is about
export function expectedDecisions({ decisions }: BothForms, response: any): string {
  // biome-ignore lint/suspicious/noExplicitAny: the same
  const questions: any[] = (decisions as { questions: object[] }).questions as any[];
  const answers = questions.map(({ type, name, levels }) => {
    const { raw_probabilities: raw, ...answer } = response.answers[name];
    const probabilities = Object.entries<number>(answer.probabilities ?? {});
    if (type === 'choice') {
      return {
        type,
        name,
        choice: answer.choice,
        confidence: answer.confidence,
        probabilities: probabilities.map(([value, probability]) => ({ value, probability })),
      };
    }
    if (type === 'score') {
      return {
        type,
        name,
        score: answer.score,
        confidence: answer.confidence,
        probabilities: probabilities.map(([value, probability]) => ({
          value: Number(value),
          label: levels[Number(value)].label,
          probability,
        })),
      };
    }
    const [yes = 0] = roundProbabilities([raw.true, raw.false]);
    if (commit(yes) / UNITS !== answer.noul) throw new Error(`${yes} is not ${answer.noul}`);
    return { type, name, probability: yes / UNITS };
  });
  const { input_tokens, output_tokens } = response.usage;
  return JSON.stringify({
    model: response.model,
    answers,
    usage: {
      input_tokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input_tokens + output_tokens,
    },
  });
}
