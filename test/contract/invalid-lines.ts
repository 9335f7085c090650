import type { LineErrorType } from '../../src/api/index.js';
import { line } from '../support/contract/batch-calls.js';
import { BUILDS } from '../support/contract/service.js';
import { ASK } from '../support/contract/suite.js';
import { chunk, png } from '../support/images/png.js';

const PICTURE = png({ width: 280, height: 280 }).toString('base64');
const asset = (more: object = {}) => ({ format: 'png', data_base64: PICTURE, ...more });
/** A line with one image, which its state refers to. */
const shows = (more: object) => line('a', { state: 'a cat', assets: { cat: asset(more) } });
const asks = (question: unknown) => line('a', { questions: { q: question } });
const asksTask = (task: unknown) => line('a', { task, model: undefined, questions: null });
export const options = (count: number) => Array.from({ length: count }, (_, at) => `o${at}`);
const picture = (sides: { width: number; height: number }) => png(sides).toString('base64');
const LARGE = png({
  width: 280,
  height: 280,
  before: [chunk('teXt', Buffer.alloc(16 * 1024 * 1024, 'x'))],
}).toString('base64');

/** Lines that are invalid, by the type of their error, for a key that may use only `decider-g-12b`; the id `first` is already used. */
export const INVALID: Readonly<Record<LineErrorType, readonly string[]>> = {
  invalid_json: [
    '{',
    'text',
    '{"a":1}}',
    `${line('a')} ${line('b')}`,
    '{"custom_id":"a" "model":1}',
    '\u{feff}{}',
  ],
  invalid_line: [
    '[]',
    '"text"',
    '7',
    'null',
    'true',
    line('a', { model: 7 }),
    line('a', { questions: [] }),
    line('a', { questions: 'q' }),
    line('a', { task: 7 }),
    line('a', { task: 'none' }),
    line('a', { task: 'none', questions: undefined }),
    line('a', { task: 'none', model: undefined }),
    line('a', { raw_probabilities: 'true' }),
    line('a', { label_mass: 1 }),
    ...[0, 27, -1, 1.5, '2', true, {}].map((rotations) => line('a', { option_rotations: rotations })),
    line('a', {
      option_rotations: 26,
      questions: Object.fromEntries(
        options(16).map((name) => [name, { type: 'choice', criteria: options(26) }]),
      ),
    }),
  ],
  invalid_custom_id: [
    line(undefined),
    line(null),
    line(''),
    line(7),
    line(['a']),
    line('a b'),
    line('é'),
    line('a/b'),
    line('a\n'),
    line('a'.repeat(65)),
  ],
  duplicate_custom_id: [line('first')],
  model_required: [line('a', { model: undefined }), line('a', { model: null }), line('a', { model: '' })],
  task_not_found: ['none', '', 'a b', '..', '__proto__', 'x'.repeat(65)].map((task) => asksTask(task)),
  model_not_found: ['decider-g-13b', 'decider-g-12b-20250101', 'DECIDER-G-12B'].map((model) =>
    line('a', { model }),
  ),
  model_not_allowed: [line('a', { model: 'decider-g-31b' }), line('a', { model: BUILDS['decider-g-31b'] })],
  missing: [line('a', { state: undefined }), line('a', { state: null })],
  invalid_questions: [line('a', { questions: undefined }), line('a', { questions: {} })],
  too_many_questions: [
    line('a', { questions: Object.fromEntries(options(17).map((name) => [name, ASK.q])) }),
  ],
  invalid_type: [asks({}), asks({ type: 'other' }), asks({ type: 7 })],
  invalid_question: [asks(7), asks({ type: 'noul', instructions: 7 }), asks({ type: 'choice' })],
  too_many_options: ['choice', 'score'].map((type) => asks({ type, criteria: options(27) })),
  invalid_image_budget: [line('a', { image_budget: 100 }), line('a', { image_budget: '70' })],
  invalid_assets: [
    line('a', { assets: [] }),
    line('a', { assets: { '': asset() } }),
    shows({ type: 'video' }),
    shows({ part: 'file' }),
    shows({ data_base64: undefined }),
    shows({ data_base64: undefined, part: 'file' }),
  ],
  too_many_images: [
    line('a', {
      state: options(9).join(' '),
      assets: Object.fromEntries(options(9).map((name) => [name, asset()])),
    }),
    line('a', { state: 'cat '.repeat(9), assets: { cat: asset() } }),
  ],
  unreferenced_asset: [line('a', { assets: { cat: asset() } })],
  image_reference_truncated: [line('a', { state: `${'a'.repeat(20_000)} cat`, assets: { cat: asset() } })],
  unsupported_image_format: [shows({ format: 'gif' }), shows({ format: 'jpg' })],
  invalid_image: [shows({ data_base64: '!' }), shows({ data_base64: PICTURE.slice(0, 40) })],
  image_too_large: [shows({ data_base64: LARGE })],
  image_dimensions: [
    shows({ data_base64: picture({ width: 279, height: 280 }) }),
    shows({ data_base64: picture({ width: 280, height: 1_569 }) }),
  ],
  images_not_supported: [shows({})],
};
