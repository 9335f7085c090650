import { test } from 'tap';
import { BackendError, chooseDevices, threadDevices } from '../../src/engine/index.js';

const device = (name: string, gpu = true, integrated = false) => ({
  name,
  description: '',
  gpu,
  integrated,
});
const CPU = device('CPU', false);
const TWO = [device('CUDA0'), device('CUDA1'), CPU];

test('all GPUs, unless some are named', async (t) => {
  t.strictSame(chooseDevices(TWO, []), ['CUDA0', 'CUDA1']);
  t.strictSame(chooseDevices(TWO, ['CUDA1']), ['CUDA1']);
  t.strictSame(chooseDevices(TWO, ['CUDA1', 'CUDA0']), ['CUDA1', 'CUDA0']);
  t.strictSame(chooseDevices([CPU], []), []);
});

test('an integrated GPU is used only if there is no other, or if it is named', async (t) => {
  const integrated = device('Vulkan1', true, true);
  t.strictSame(chooseDevices([device('Vulkan0'), integrated, CPU], []), ['Vulkan0']);
  t.strictSame(chooseDevices([device('Vulkan0'), integrated, CPU], ['Vulkan1']), ['Vulkan1']);
  t.strictSame(chooseDevices([integrated, CPU], []), ['Vulkan1']);
});

test('an unknown name is an error that names the devices found', async (t) => {
  const unknown =
    (...names: string[]) =>
    () =>
      chooseDevices(TWO, names);
  t.throws(unknown('CUDA0', 'CUDA7'), {
    message: 'engine.devices: no GPU is named "CUDA7". Found: CUDA0, CUDA1.',
  });
  t.throws(unknown('CPU'), BackendError, 'the CPU is no GPU');
  t.throws(() => chooseDevices([CPU], ['CUDA0']), { message: /Found: none\.$/ });
});

test('contexts of every device, in turns', async (t) => {
  t.strictSame(threadDevices(['A', 'B', 'C'], 2), ['A', 'B', 'C', 'A', 'B', 'C']);
  t.strictSame(threadDevices([''], 1), ['']);
});
