import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { findCompiler } from '#native/compiler.mjs';
import { BUILD, libraries, libraryFiles } from '#native/platform.mjs';
import type { Plan } from '../../src/engine/index.js';
import { ContextState } from '../../src/engine/scheduler/context-state.js';
import { Embeddings } from '../../src/engine/scheduler/embeddings.js';
import { answerAll, BOUNDS, COLD, distance, openContext } from '../support/engine.js';
import { noise, openReader, planWith } from '../support/images.js';
import { ROOT } from '../support/sources.js';

const TOLERANCE = 1e-3;

/** Builds the program that asks llama.cpp alone, from the objects that the addon is made of. */
function compileDirect(folder: string): { file: string; backends: string } {
  const [program, ...own] = findCompiler() as [string, ...string[]];
  const backends = libraries('cpu') ?? (libraries('metal') as string);
  const { llama, ggml, base } = libraryFiles(backends);
  const file = join(folder, 'direct');
  const headers = ['include', 'ggml/include', 'tools/mtmd'].map((path) => join(BUILD, 'llama.cpp', path));
  const multimodal = join(BUILD, 'multimodal');
  execFileSync(program, [
    ...own,
    '-std=c++17',
    join(ROOT, 'test/native/direct.cc'),
    ...readdirSync(multimodal).flatMap((object) => (object.endsWith('.o') ? [join(multimodal, object)] : [])),
    ...headers.flatMap((path) => ['-I', path]),
    ...[llama, ggml, base].map((library) => join(backends, library)),
    `-Wl,-rpath,${backends}`,
    '-o',
    file,
  ]);
  return { file, backends };
}

test('an image: its embedding and the answer are what llama.cpp itself computes', (t) => {
  const folder = t.testdir();
  const { file, backends } = compileDirect(folder);
  for (const kind of ['gemma4v', 'gemma4uv'] as const) {
    const opened = openReader(folder, kind);
    const image = noise(7, 17, 14);
    const pixels = join(folder, 'pixels');
    writeFileSync(pixels, image.rgb);
    const plan = planWith(opened, [image], ['The state is ', 0, ' and goes on.'], ['Which of them? ']);
    const [suffix] = plan.suffixes as [Plan['suffixes'][number]];
    const start = plan.prefix.indexOf(opened.reads.begin);
    const end = plan.prefix.indexOf(opened.reads.end);
    const output = execFileSync(
      file,
      [
        opened.model.build.path,
        opened.model.build.projector?.path ?? '',
        String(image.width),
        String(image.height),
        pixels,
        plan.prefix.slice(0, start).join(),
        [...plan.prefix.slice(end + 1), ...suffix.tokens].join(),
        suffix.options.join(),
        backends,
      ],
      { encoding: 'utf8', maxBuffer: 64 << 20 },
    );
    const [count, embedding, logits] = output.split('\n') as [string, string, string];
    t.equal(Number(count), end - start - 1);
    const own = new Float32Array(Number(count) * opened.reads.width);
    opened.encoder.encode(image, own);
    t.strictSame(own, Float32Array.from(embedding.trim().split(' '), Number));
    const context = openContext(opened.model);
    const state = new ContextState(BOUNDS, COLD, new Embeddings(opened.reads, 0));
    const [found] = answerAll(context, [plan], COLD, BOUNDS, state, undefined, opened.encoder);
    context.close();
    const worst = distance(logits.trim().split(' ').map(Number), found?.[0] as Float32Array);
    t.ok(worst <= TOLERANCE, `${kind}: largest |Δp| ${worst.toExponential(1)}`);
  }
  t.end();
});
