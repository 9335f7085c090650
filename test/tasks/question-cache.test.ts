import { test } from 'tap';
import { CACHE_BYTES_MAX, QuestionCache } from '../../src/tasks/question-cache.js';

/** Every character counts as two bytes. */
const HALF = 'x'.repeat(CACHE_BYTES_MAX / 4);

test('questions are kept up to the bound, and the least recently used go', async (t) => {
  const cache = new QuestionCache();
  cache.put('a', 1, HALF);
  cache.put('a', 2, HALF);
  t.equal(cache.get('a', 2), HALF);
  t.equal(cache.get('a', 1), HALF, 'both fit');
  cache.put('b', 1, 'y');
  t.equal(cache.get('a', 2), undefined, 'one past the bound');
  t.equal(cache.get('a', 1), HALF);
  t.equal(cache.get('b', 1), 'y');
  cache.put('b', 1, 'y');
  cache.put('c', 1, 'z'.repeat(CACHE_BYTES_MAX));
  t.equal(cache.get('c', 1), undefined, 'more than fits is not kept');
});

test('the questions of all versions of a task are forgotten, and their room is free', async (t) => {
  const cache = new QuestionCache();
  cache.put('a', 1, HALF);
  cache.put('a', 2, 'x');
  cache.put('ab', 1, 'y');
  cache.forget('a');
  t.strictSame([cache.get('a', 1), cache.get('a', 2), cache.get('ab', 1)], [undefined, undefined, 'y']);
  cache.put('b', 1, HALF);
  cache.put('c', 1, HALF.slice(1));
  t.equal(cache.get('b', 1), HALF, 'at the bound, with the question of another task');
});
