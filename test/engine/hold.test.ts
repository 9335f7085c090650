import { test } from 'tap';
import { type Addon, holdWeights } from '../../src/engine/index.js';
import { buildOf } from '../support/engine.js';

test('held weights are released, also if the projector cannot be opened', async (t) => {
  const calls: string[] = [];
  const call = (name: string) => () => void calls.push(name);
  const addon = {
    openModel: call('model'),
    closeModel: call('model closed'),
    openProjector: call('projector'),
    closeProjector: call('projector closed'),
  };
  const build = buildOf('a.gguf', {}, { path: 'b.gguf', sha256: '' });
  holdWeights(addon as unknown as Addon, '', build, 1)();
  t.strictSame(calls, ['model', 'projector', 'projector closed', 'model closed']);
  calls.length = 0;
  const openProjector = () => {
    throw new Error('out of memory');
  };
  const failing = { ...addon, openProjector } as unknown as Addon;
  t.throws(() => holdWeights(failing, '', build, 1), { message: 'out of memory' });
  t.strictSame(calls, ['model', 'model closed']);
});
