import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { openModel } from '../../src/engine/index.js';
import { BUILT_IN_FORMATS } from '../../src/engine/profile/formats.js';
import { RENDER_MS_MAX } from '../../src/engine/profile/profile-types.js';
import { longShapes, sampleShapes } from '../../src/engine/profile/question-shapes.js';
import { SLOW_TRIES_MAX } from '../../src/engine/profile/slow-shapes.js';
import { RENDERED_CHARACTERS_MAX, verifiedProfile } from '../../src/engine/profile/verified-profile.js';
import { addon, buildOf, openTiny } from '../support/engine.js';
import { smallModelFile } from '../support/tiny.js';

/** Those that are verified, and others. */
const SHAPES = [...sampleShapes(26), ...sampleShapes(5), ...longShapes(40)];

for (const name of Object.keys(BUILT_IN_FORMATS)) {
  test(`${name}: a profile made of what another one found is the same`, (t) => {
    const { build, profile } = openTiny(t.testdir(), {}, { profile: name });
    const found = JSON.parse(JSON.stringify(profile.verified()));
    t.ok(JSON.stringify(found.rendered).length < 90_000, 'as documented at the limit');
    for (const verified of [found, { ...found, rendered: null }]) {
      const other = openModel(addon, '', build, { verified }).profile;
      t.strictSame(other.labels, profile.labels);
      t.strictSame(other.head(), profile.head());
      for (const shape of SHAPES) t.strictSame(other.skeleton(shape), profile.skeleton(shape));
      t.strictSame(
        openModel(addon, '', build, { verified: other.verified() }).profile.labels,
        profile.labels,
      );
    }
    t.end();
  });
}

/** A file whose template is that of another model, so that it shows whether it was rendered. */
const withTemplate = (template: string) => ({
  metadata: {
    'gemma4.decision.type': { type: 'string' as const, value: 'nimble' },
    'tokenizer.chat_template.systemone': { type: 'string' as const, value: template },
  },
});

test('it renders a template only for questions of other shapes', (t) => {
  const { profile } = openTiny(t.testdir());
  const { build } = openTiny(
    t.testdir(),
    withTemplate(
      '<bos>{{ state }}|{{ instructions }}|{% for o in options %}{{ o.label }}. {{ o.key }} {{ o.description }}\n{% endfor %}|',
    ),
  );
  const { profile: other } = openModel(addon, '', build, { verified: profile.verified() });
  const [sample] = sampleShapes(26) as [ReturnType<typeof sampleShapes>[0]];
  t.strictSame(other.skeleton(sample), profile.skeleton(sample));
  t.strictSame(other.head(), profile.head());
  const [long] = longShapes(40) as [typeof sample];
  t.throws(() => other.skeleton(long), {
    name: 'ProfileError',
    message: /part of the question before the state/,
  });
  t.end();
});

test('a template that a thread does not parse in time is tried as often as one that it does not render in time', (t) => {
  const { profile } = openTiny(t.testdir());
  // The parser takes a time that grows with the square of the number of line breaks.
  const path = join(t.testdir(), 'slow.gguf');
  writeFileSync(path, smallModelFile(withTemplate('\n'.repeat(200_000))));
  const { profile: other } = openModel(addon, '', buildOf(path), { verified: profile.verified() });
  const [long] = longShapes(40) as [(typeof SHAPES)[0]];
  const refused = { name: 'ProfileError', message: /: it takes more than 2000 ms$/ };
  const milliseconds = () => {
    const began = performance.now();
    t.throws(() => other.skeleton(long), refused);
    return performance.now() - began;
  };
  for (let tries = 0; tries < SLOW_TRIES_MAX; tries++) t.ok(milliseconds() > RENDER_MS_MAX);
  t.ok(milliseconds() < RENDER_MS_MAX, 'it is not tried again');
  t.end();
});

test('what was rendered is passed on up to a limit; one character more, and the templates are rendered again', (t) => {
  const labels = { list: [], lettersOnly: null };
  const rendered = (tail: number) => ({
    chat: { head: '', tail: 'x'.repeat(tail) },
    head: [1],
    skeletons: [],
  });
  const room = RENDERED_CHARACTERS_MAX - JSON.stringify(rendered(0)).length;
  t.ok(verifiedProfile(labels, rendered(room)).rendered);
  t.strictSame(verifiedProfile(labels, rendered(room + 1)), { labels, rendered: null });
  t.end();
});
