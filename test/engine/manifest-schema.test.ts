import assert from 'node:assert/strict';
import { test } from 'tap';
import { Compile } from 'typebox/schema';
import { MANIFEST_SCHEMA } from '../../src/engine/models/manifest-schema.js';
import { schemaFault } from '../../src/engine/models/schema-fault.js';
import { mutateValue } from '../support/decide/mutations.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

const SHA256 = 'a'.repeat(64);

/** A manifest that uses every key. */
function fullManifest(): Record<string, unknown> {
  const file = { file: 'x', sha256: SHA256 };
  const build = {
    date: '20260101',
    file: 'x-00001-of-00002.gguf',
    sha256: SHA256,
    temperatures: { noul: 1, 'choice.2': 1.5 },
    parts: [{ file: 'x-00002-of-00002.gguf', sha256: SHA256 }],
    projector: file,
  };
  const model = {
    id: 'a',
    description: 'A model.',
    release_date: '2026-01-01',
    builds: [build],
    answers_for: ['x', 'y'],
    profile: 'letters',
    temperatures: {},
    context_length: 64,
    engine: {
      devices: ['CUDA0'],
      contexts: 8,
      cells: 256,
      wave_tokens: 65_536,
      sequences: 255,
      threads: 512,
      batch_percent: 100,
      tuned: { device: 'a GPU', date: '2026-01-01', goal: 'latency' },
    },
    reads_images: true,
    price_class: 'x',
    random_weights: true,
  };
  return { $schema: 'x', default: 'a', models: [model, { ...model, id: 'b', release_date: null }] };
}

test('the check of a manifest agrees with a JSON Schema library', async (t) => {
  const schema = Compile(MANIFEST_SCHEMA);
  t.ok(schema.Check(fullManifest()));
  t.equal(schemaFault(fullManifest()), null);
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  const counts = { accepted: 0, refused: 0 };
  for (let count = 0; count < scaled({ short: 2_000, long: 20_000 }); count += 1) {
    const manifest = fullManifest();
    mutateValue(source, manifest);
    const accepted = schemaFault(manifest) === null;
    counts[accepted ? 'accepted' : 'refused'] += 1;
    assert.equal(accepted, schema.Check(manifest), JSON.stringify(manifest));
  }
  t.ok(counts.accepted > 50 && counts.refused > 50, JSON.stringify(counts));
});

test('a fault names its place and what is allowed', async (t) => {
  const [first, second] = fullManifest().models as [Record<string, unknown>, object];
  for (const [manifest, fault] of [
    [[], 'the manifest must be of the type object'],
    [{ models: [first] }, 'the manifest must have the key default'],
    [{ default: '', models: [first] }, 'default must not be empty'],
    [{ default: 'a', models: [] }, 'models must have at least 1 items'],
    [
      { default: 'a', models: [second, { ...first, idd: 1 }] },
      'models.1.idd is not a known key. Did you mean id?',
    ],
    [
      { default: 'a', models: [{ ...first, id: undefined, Id: 'x' }] },
      'models.0.Id is not a known key. Did you mean id?',
    ],
    [
      { default: 'a', models: [{ ...first, builds: [{ date: '20260101', fil: 'x', sha256: '' }] }] },
      'models.0.builds.0.fil is not a known key. Did you mean file?',
    ],
    [{ default: 'a', models: [{ ...first, id: 'A' }] }, /^models\.0\.id must match \^\[a-z/],
    [
      { default: 'a', models: [{ ...first, context_length: 63 }] },
      'models.0.context_length must be at least 64',
    ],
    [
      { default: 'a', models: [{ ...first, engine: { contexts: 9 } }] },
      'models.0.engine.contexts must be at most 8',
    ],
    [
      { default: 'a', models: [{ ...first, engine: { cells: 1_048_577 } }] },
      'models.0.engine.cells must be at most 1048576',
    ],
    [
      { default: 'a', models: [{ ...first, engine: { cells: 255 } }] },
      'models.0.engine.cells must be at least 256',
    ],
    ...(
      [
        ['wave_tokens', 0, 'least 1'],
        ['wave_tokens', 65_537, 'most 65536'],
        ['sequences', 1, 'least 2'],
        ['sequences', 256, 'most 255'],
        ['threads', 0, 'least 1'],
        ['threads', 513, 'most 512'],
        ['batch_percent', 0, 'least 1'],
        ['batch_percent', 101, 'most 100'],
      ] as const
    ).map(
      ([name, value, bound]) =>
        [
          { default: 'a', models: [{ ...first, engine: { [name]: value } }] },
          `models.0.engine.${name} must be at ${bound}`,
        ] as const,
    ),
    [
      {
        default: 'a',
        models: [{ ...first, engine: { tuned: { device: 'x', date: '2026-1-1', goal: 'x' } } }],
      },
      /^models\.0\.engine\.tuned\.date must match/,
    ],
    [
      { default: 'a', models: [{ ...first, release_date: 1 }] },
      'models.0.release_date must be of the type string',
    ],
    [
      { default: 'a', models: [{ ...first, temperatures: { x: '1' } }] },
      'models.0.temperatures.x must be of the type number',
    ],
    [
      { default: 'a', models: [{ ...first, temperatures: { 'a/b~c': Infinity } }] },
      'models.0.temperatures.a/b~c must be of the type number',
    ],
    [{ default: 'a', models: [first], constructor: 1 }, 'constructor is not a known key'],
    [{ default: 'a', models: [first], ['__proto__']: 1 }, '__proto__ is not a known key'],
  ] as const) {
    t.match(schemaFault(manifest)?.sentence, fault);
  }
});
