import { mutateValue } from '../../support/decide/mutations.js';
import type { Random } from '../../support/random.js';
import { oneIn, times, weighted } from './chance.js';
import { type Corpus, imageFile } from './images.js';
import { base64, text, tree } from './json.js';

/** A body in the form of `/v1/decisions` as a value. */
export function decisionsBody(random: Random, corpus: Corpus): Record<string, unknown> {
  const shown = oneIn(random, 5)
    ? () => image(random, corpus)
    : () => ({ type: 'input_text', text: text(random) });
  const body: Record<string, unknown> = {
    model: random.pick([
      'tiny',
      'other',
      'gpt-6-luna',
      'tiny-20260101',
      '',
      ...(oneIn(random, 9) ? [null, 7] : []),
    ]),
    input: input(random, shown),
    questions: questions(random, shown),
  };
  if (oneIn(random, 12))
    body[random.pick(['prompt_cache_key', 'safety_identifier', 'stream'])] = random.pick(['k', null, 7]);
  for (let left = random.pick([0, 0, 0, 0, 0, 0, 1, 1, 4]); left > 0; left -= 1) mutateValue(random, body);
  return body;
}

type Shown = () => unknown;

function input(random: Random, shown: Shown): unknown {
  return weighted<unknown>(random, [
    [3, () => `${text(random)} The customer waits.`],
    [3, () => [{ role: 'user', content: content(random, shown) }]],
    [6, () => transcript(random, shown)],
    [1, () => 'long '.repeat(random.pick([400, 4_000, 50_000]))],
    [1, () => random.pick<unknown>([[], {}, null, 7, ['x'], [[]]])],
  ]);
}

function transcript(random: Random, shown: Shown): unknown[] {
  const calls: string[] = [];
  return times(1 + random.integer(oneIn(random, 30) ? 60 : 6), (index) =>
    weighted<unknown>(random, [
      [4, () => ({ role: 'user', content: content(random, shown) })],
      [2, () => ({ type: 'message', role: random.pick(['system', 'developer']), content: text(random) })],
      [
        2,
        () => ({
          role: 'assistant',
          phase: random.pick(['commentary', null]),
          content: random.pick<unknown>([
            text(random),
            [
              { type: 'output_text', text: text(random) },
              { type: 'refusal', refusal: text(random) },
            ],
          ]),
        }),
      ],
      [
        2,
        () => {
          const call_id = oneIn(random, 6) ? text(random) : `c${index}`;
          calls.push(call_id);
          const common = {
            call_id,
            name: oneIn(random, 3) ? text(random) : 'lookup',
            id: null,
            status: 'completed',
          };
          return oneIn(random, 2)
            ? { type: 'function_call', ...common, arguments: JSON.stringify(tree(random, 2)) }
            : {
                type: 'custom_tool_call',
                ...common,
                namespace: random.pick([null, 'db', text(random)]),
                input: text(random),
              };
        },
      ],
      [
        2,
        () => ({
          type: random.pick(['function_call_output', 'custom_tool_call_output']),
          call_id: calls.length === 0 || oneIn(random, 9) ? 'none' : random.pick(calls),
          output: oneIn(random, 2) ? text(random) : [shown()],
        }),
      ],
      [0.2, () => random.pick<unknown>([{ type: 'reasoning' }, { role: 'tool' }, null, 'x', {}])],
    ]),
  );
}

function content(random: Random, shown: Shown): unknown {
  if (oneIn(random, 3)) return text(random);
  return times(random.integer(4), () =>
    oneIn(random, 3)
      ? { type: 'input_json', data: oneIn(random, 4) ? [{}] : { a: tree(random, 3) } }
      : shown(),
  );
}

function questions(random: Random, shown: Shown): unknown[] {
  const count = oneIn(random, 60) ? random.pick([0, 400, 401]) : random.pick([1, 1, 1, 2, 3, 20]);
  return times(count, () => question(random, count < 30 ? shown : () => ({ type: 'input_text', text: 'x' })));
}

function question(random: Random, shown: Shown): unknown {
  const common = {
    ...(oneIn(random, 2) ? { name: random.pick<unknown>(['n', text(random), null]) } : {}),
    ...(oneIn(random, 4)
      ? {}
      : {
          instructions: random.pick<unknown>([
            text(random),
            'Is it?',
            null,
            [shown()],
            content(random, shown),
          ]),
        }),
  };
  const count = oneIn(random, 20) ? random.pick([0, 1, 27, 255, 256]) : random.pick([2, 3, 26]);
  const described = () => (oneIn(random, 3) ? { description: random.pick([text(random), null]) } : {});
  return weighted<unknown>(random, [
    [6, () => ({ type: 'predicate', ...common })],
    [
      6,
      () => ({
        type: 'choice',
        ...common,
        choices: times(count, (at) => ({
          value: at === 1 ? true : at === 2 ? 'true' : `o${at}`,
          ...described(),
        })),
      }),
    ],
    [
      6,
      () => ({
        type: 'score',
        ...common,
        levels: times(count, (at) => ({ label: `${at}`, ...described() })),
      }),
    ],
    [1, () => ({ type: random.pick(['noul', '', null, 'refusal']), ...common })],
  ]);
}

function image(random: Random, corpus: Corpus): unknown {
  const { bytes, format } = imageFile(random, corpus);
  const image_url = oneIn(random, 12)
    ? random.pick([
        'https://127.0.0.1/a.png',
        'data:,',
        'data:image/png;base64,',
        '',
        'x',
        'file:///etc/passwd',
      ])
    : `data:image/${format || 'png'};base64,${base64(random, bytes)}`;
  const detail = random.pick<unknown>(['low', 'high', 'auto', null, ...(oneIn(random, 12) ? ['best'] : [])]);
  return { type: 'input_image', image_url, ...(oneIn(random, 2) ? { detail } : {}) };
}
