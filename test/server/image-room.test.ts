import { test } from 'tap';
import { requireImageRoom } from '../../src/server/index.js';
import { buildOf } from '../support/engine.js';

test('a model that reads images needs room for the largest one and the text around it', async (t) => {
  const text = buildOf('model.gguf');
  const images = { ...text, projector: text };
  const bounds = (cells: number, waveTokens = 512) => ({
    cells,
    waveTokens,
    microBatchTokens: 512,
    microBatchTokensMin: 0,
    sequences: 64,
  });
  requireImageRoom(images, bounds(282));
  t.throws(() => requireImageRoom(images, bounds(281)), { message: /Set engine\.cells to at least 282\.$/ });
  requireImageRoom(images, bounds(8_192, 280));
  t.throws(() => requireImageRoom(images, bounds(8_192, 279)), {
    message: /Set engine\.wave_tokens to at least 280\.$/,
  });
  requireImageRoom(text, bounds(256));
});
