import { test } from 'tap';
import { chooseModel, chooseProjector, quantizationOf } from '../../src/hub/choose-model.js';
import { parseReference, showReference } from '../../src/hub/reference.js';

const repository = (...paths: string[]) => ({
  name: 'o/r',
  commit: 'c'.repeat(40),
  changed: null,
  files: paths.map((path) => ({ path, size: 1_500_000_000, sha256: null })),
});

const chosen = (reference: string, ...paths: string[]): string[] =>
  chooseModel(parseReference(reference), repository(...paths)).files.map(({ path }) => path);

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'it was not refused';
}

test('references', async (t) => {
  t.strictSame(parseReference('hf:o/r'), {
    repository: 'o/r',
    file: null,
    revision: 'main',
    quantization: null,
  });
  t.strictSame(parseReference('hf:o/r.x@refs/pr/1:Q4_K_M'), {
    repository: 'o/r.x',
    file: null,
    revision: 'refs/pr/1',
    quantization: 'Q4_K_M',
  });
  t.match(parseReference('hf:o/r/a/b c.gguf@v1'), { file: 'a/b c.gguf', revision: 'v1' });
  for (const text of ['o/r', 'hf:o', 'hf:o/r:', 'hf:o/r@', 'hf:../r', 'hf:o/..', 'hf:o/r:a b']) {
    t.match(
      refusal(() => parseReference(text)),
      /is not hf:OWNER\/REPO/,
      text,
    );
  }
  for (const owner of ['manifest.json', 'Manifest.JSON', 'manifest.json.lock', 'manifest.json.new']) {
    t.match(
      refusal(() => parseReference(`hf:${owner}/r`)),
      /the name of a file of the models folder/,
    );
  }
  t.equal(parseReference('hf:manifest/r').repository, 'manifest/r');
  t.match(
    refusal(() => parseReference('hf:o/r/a.gguf:Q8_0')),
    /Give only one of them/,
  );
  for (const path of ['../a.gguf', 'a/../../b.gguf', 'a//b.gguf', 'a\\b.gguf', 'a\u0000.gguf', './a.gguf']) {
    t.match(
      refusal(() => parseReference(`hf:o/r/${path}`)),
      /is not a path that can be stored/,
      path,
    );
  }
  t.equal(showReference(parseReference('hf:o/r@v1'), { quantization: 'Q8_0' }), 'hf:o/r@v1:Q8_0');
  t.equal(showReference(parseReference('hf:o/r@v1'), { file: 'a.gguf' }), 'hf:o/r/a.gguf@v1');
});

test('the quantization that a name states', async (t) => {
  for (const [path, quantization] of [
    ['gemma-3-1b-it-Q4_K_M.gguf', 'Q4_K_M'],
    ['decider-g-12b-q8_0.gguf', 'Q8_0'],
    ['Qwen2.5-0.5B-Instruct-IQ4_XS.gguf', 'IQ4_XS'],
    ['m-UD-Q4_K_XL.gguf', 'UD-Q4_K_XL'],
    ['m.BF16.gguf', 'BF16'],
    ['m-f16-00001-of-00003.gguf', 'F16'],
    ['m-MXFP4_MOE.gguf', 'MXFP4_MOE'],
    ['Q8_0/model-00002-of-00002.gguf', 'Q8_0'],
    ['Qwen2.5-0.5B.gguf', null],
    ['ggml-model-Q4_K_M-imat.gguf', 'Q4_K_M'],
  ] as const) {
    t.equal(quantizationOf(path), quantization, path);
  }
});

test('a quantization is chosen by name, in any case', async (t) => {
  const paths = ['m-Q4_K_M.gguf', 'm-Q8_0.gguf', 'm-UD-Q4_K_M.gguf', 'mmproj-F16.gguf', 'm-imatrix.gguf'];
  t.strictSame(chosen('hf:o/r:q8_0', ...paths), ['m-Q8_0.gguf']);
  t.strictSame(chosen('hf:o/r:Q4-K-M', ...paths), ['m-Q4_K_M.gguf']);
  t.strictSame(chosen('hf:o/r:ud-q4_k_m', ...paths), ['m-UD-Q4_K_M.gguf']);
  t.strictSame(chosen('hf:o/r/m-Q8_0.gguf', ...paths), ['m-Q8_0.gguf']);
  t.strictSame(chosen('hf:o/r', 'only.gguf', 'mmproj-only.gguf'), ['only.gguf']);
});

test('several choices, and none, are listed as they can be typed', async (t) => {
  t.equal(
    refusal(() => chosen('hf:o/r@v1', 'a-Q4_0.gguf', 'a-Q8_0.gguf')),
    'hf:o/r@v1 has 2 models. Choose one of:\n  hf:o/r@v1:Q4_0  1.5 GB\n  hf:o/r@v1:Q8_0  1.5 GB',
  );
  t.match(
    refusal(() => chosen('hf:o/r:Q8_0', 'a-Q8_0.gguf', 'b-Q8_0.gguf', 'b-Q4_0.gguf')),
    /has 2 models in Q8_0\. Choose one of:\n {2}hf:o\/r\/a-Q8_0\.gguf .*\n {2}hf:o\/r\/b-Q8_0\.gguf/,
  );
  t.match(
    refusal(() => chosen('hf:o/r:Q5_0', 'a-Q8_0.gguf')),
    /has no Q5_0\. Choose one of:\n {2}hf:o\/r:Q8_0/,
  );
  t.match(
    refusal(() => chosen('hf:o/r/b.gguf', 'a-Q8_0.gguf')),
    /has no b\.gguf\. Choose one of:/,
  );
  t.match(
    refusal(() => chosen('hf:o/r', 'mmproj.gguf')),
    /has no GGUF\. Look for a repository/,
  );
  t.equal(
    refusal(() => chosen('hf:o/r', 'a b.gguf', "it's.gguf", '$(id).gguf', 'a@b.gguf', 'c@d-Q8_0.gguf')),
    [
      'hf:o/r has 5 models. Choose one of:',
      "  'hf:o/r/a b.gguf'  1.5 GB",
      "  'hf:o/r/it'\\''s.gguf'  1.5 GB",
      "  'hf:o/r/$(id).gguf'  1.5 GB",
      '  hf:o/r:Q8_0  1.5 GB',
      '  and 1 with @ in the file name, which a reference cannot name',
    ].join('\n'),
  );
  const many = Array.from({ length: 52 }, (_, at) => `m${at}-Q8_0.gguf`);
  t.match(
    refusal(() => chosen('hf:o/r', ...many)),
    /and 2 more$/,
  );
});

test('a split model has all its files, in order', async (t) => {
  const names = ['m-Q8_0-00001-of-00003.gguf', 'm-Q8_0-00002-of-00003.gguf', 'm-Q8_0-00003-of-00003.gguf'];
  t.strictSame(chosen('hf:o/r', ...names), names);
  t.strictSame(chosen(`hf:o/r/${names[1]}`, ...names, 'n-Q4_0.gguf'), names);
  t.match(
    refusal(() => chosen('hf:o/r', ...names.slice(1))),
    /lacks m-Q8_0-00001-of-00003\.gguf/,
  );
  t.match(
    refusal(() => chosen('hf:o/r', names[0] as string, names[1] as string)),
    /lacks m-Q8_0-00003-of-00003/,
  );
});

test('the projector: the only one, none, or the one that is named', async (t) => {
  const reference = parseReference('hf:o/r');
  const projector = (asked: string | undefined, ...paths: string[]) =>
    chooseProjector(reference, repository(...paths), asked)?.path ?? null;
  t.equal(projector(undefined, 'm.gguf'), null);
  t.equal(projector(undefined, 'm.gguf', 'mmproj-F16.gguf'), 'mmproj-F16.gguf');
  t.equal(
    projector(undefined, 'm.gguf', 'decider-g-12b-projector-f16.gguf'),
    'decider-g-12b-projector-f16.gguf',
  );
  t.equal(projector('none', 'm.gguf', 'mmproj-F16.gguf'), null);
  t.equal(projector('mmproj-F16.gguf', 'p/mmproj-F16.gguf', 'mmproj-F32.gguf'), 'p/mmproj-F16.gguf');
  t.equal(projector('vision.gguf', 'm.gguf', 'vision.gguf'), 'vision.gguf', 'a name that does not say so');
  t.match(
    refusal(() => projector(undefined, 'mmproj-F16.gguf', 'mmproj-F32.gguf')),
    /has 2 projectors, which read images\. Choose one of:\n {2}--projector mmproj-F16\.gguf {2}1\.5 GB\n.*\n {2}--projector none$/,
  );
  t.match(
    refusal(() => projector(undefined, 'a;b-mmproj.gguf', 'mmproj-F32.gguf')),
    /\n {2}--projector 'a;b-mmproj\.gguf' {2}1\.5 GB\n/,
  );
  t.match(
    refusal(() => projector('x.gguf', 'mmproj-F16.gguf')),
    /has no projector x\.gguf/,
  );
});
