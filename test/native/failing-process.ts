// Computes the same thing three times and prints how each time ended. Run by failing-device.test.ts.
import { runWave } from '../../src/engine/wave/run-wave.js';
import { BOUNDS, never, openContext } from '../support/engine.js';
import { noise, openReader } from '../support/images.js';

const [folder, what] = process.argv.slice(2) as [string, string];
const { model, reads, encoder } = openReader(folder, 'gemma4uv');

function decode(): Float32Array {
  const stream = {
    tokens: Int32Array.of(300, 301, 302),
    position: 0,
    sequences: [0],
    options: Int32Array.of(500, 501),
  };
  const phases = [{ removals: [], copies: [], streams: [stream] }];
  const [logits] = runWave(context, { clear: true, images: [], removals: [], phases }, BOUNDS, never());
  return logits as Float32Array;
}

function encode(): Float32Array {
  const embedding = new Float32Array(7 * 5 * reads.width);
  encoder.encode(noise(1, 7, 5), embedding);
  return embedding;
}

const context = openContext(model);
const compute = what === 'decode' ? decode : encode;
const ended = Array.from({ length: 3 }, () => {
  try {
    return { numbers: [...compute()] };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return { message, code };
  }
});
process.stdout.write(JSON.stringify(ended));
