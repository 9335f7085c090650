import { test } from 'tap';
import { ProfileError, SlowTemplateError } from '../../src/engine/profile/profile-types.js';
import { SLOW_SHAPES_MAX, SLOW_TRIES_MAX, SlowShapes } from '../../src/engine/profile/slow-shapes.js';

/** How many prompts are rendered. */
function counting() {
  const shapes = new SlowShapes();
  let rendered = 0;
  const render = (key: string, error: Error | null) => {
    const before = rendered;
    try {
      shapes.render(key, () => {
        rendered += 1;
        if (error !== null) throw error;
      });
    } catch (thrown) {
      if (!(thrown instanceof ProfileError)) throw thrown;
    }
    return rendered - before;
  };
  return { shapes, render };
}

const slow = new SlowTemplateError();

test('a shape that takes too long is rendered a few times, then refused at once', async (t) => {
  const { shapes, render } = counting();
  for (let tries = 0; tries < SLOW_TRIES_MAX; tries++) t.equal(render('a', slow), 1);
  t.equal(render('a', slow), 0);
  t.throws(() => shapes.render('a', () => 1), { message: /takes more than/ });
  t.equal(
    shapes.render('b', () => 1),
    1,
    'others are rendered',
  );
});

test('a shape that took too long once, because the host was slow, begins anew', async (t) => {
  const { render } = counting();
  for (let round = 0; round <= SLOW_TRIES_MAX; round++) {
    t.equal(render('a', slow), 1);
    t.equal(render('a', null), 1);
  }
});

test('a shape that fails otherwise, which takes no time, is rendered every time', async (t) => {
  const { render } = counting();
  for (let round = 0; round <= SLOW_TRIES_MAX; round++) t.equal(render('a', new ProfileError('wrong')), 1);
});

test('as many shapes as are kept, and one more: a shape that was not tried is never refused', async (t) => {
  const { render } = counting();
  const refuse = (name: string) => {
    for (let tries = 0; tries < SLOW_TRIES_MAX; tries++) render(name, slow);
  };
  for (let at = 0; at < SLOW_SHAPES_MAX; at++) refuse(`${at}`);
  t.equal(render('fast', null), 1);
  t.equal(render('0', slow), 0);
  refuse('one more');
  t.equal(render('one more', slow), 0);
  t.equal(render('1', slow), 0);
  t.equal(render('0', slow), 1, 'the first one is forgotten');
});
