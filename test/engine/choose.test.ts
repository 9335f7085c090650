import { test } from 'tap';
import { chooseBackend, loadAddon, type Machine } from '../../src/engine/index.js';

const GPU = {
  name: 'G0',
  description: '',
  gpu: true,
  integrated: false,
};
const CPU = { ...GPU, name: 'CPU', gpu: false };

/** A Linux machine on which `installed` backends find a GPU where `working` says so. */
function machine(installed: string[], working: string[], shows: Partial<Machine> = {}): Machine {
  return {
    backends: ['cuda', 'vulkan', 'cpu'],
    installed: (backend) => backend === 'cpu' || installed.includes(backend),
    probe: (backend) => (working.includes(backend) ? [GPU, CPU] : [CPU]),
    hasNvidiaDriver: () => false,
    hasRenderNode: () => false,
    ...shows,
  };
}

test('auto: the best backend that finds a device', async (t) => {
  const all = ['cuda', 'vulkan'];
  t.strictSame(chooseBackend('auto', machine(all, all)), { backend: 'cuda', notice: null });
  t.strictSame(chooseBackend('auto', machine(all, ['vulkan'])), { backend: 'vulkan', notice: null });
  t.strictSame(chooseBackend('auto', machine(all, [])), { backend: 'cpu', notice: null });
  t.strictSame(chooseBackend('auto', machine([], [])), { backend: 'cpu', notice: null });
});

test('auto: a GPU without libraries is said, with the command', async (t) => {
  const nvidia = { hasNvidiaDriver: () => true };
  t.match(chooseBackend('auto', machine([], [], nvidia)), { backend: 'cpu', notice: /npm run install:cuda/ });
  t.match(chooseBackend('auto', machine(['cuda'], [], nvidia)), {
    backend: 'cpu',
    notice: /runtime .* missing/,
  });
  const render = { hasRenderNode: () => true };
  t.match(chooseBackend('auto', machine([], [], render)), {
    backend: 'cpu',
    notice: /npm run install:vulkan/,
  });
});

test('a named backend that finds no device, is not installed or does not exist is an error', async (t) => {
  t.throws(() => chooseBackend('cuda', machine(['cuda'], [])), {
    name: 'BackendError',
    message: /finds no GPU/,
  });
  t.throws(() => chooseBackend('cuda', machine([], [])), /npm run install:cuda/);
  t.throws(() => chooseBackend('metal', machine([], [])), /does not exist/);
  t.equal(chooseBackend('cuda', machine(['cuda'], ['cuda'])).backend, 'cuda');
  t.equal(chooseBackend('cpu', machine(['cuda'], ['cuda'])).backend, 'cpu');
});

test('the log of llama.cpp is sent to the callback that was registered last', async (t) => {
  const { addon } = loadAddon('cpu');
  addon.onLog(() => t.fail('no longer asked'));
  const line = new Promise<string>((resolve) => {
    addon.onLog((_level, text) => {
      if (text.includes('nowhere')) resolve(text);
    });
  });
  t.throws(() => addon.openModel({ path: '/nowhere.gguf', device: '', mapped: false }, () => true));
  // A log keeps no process alive.
  const alive = setInterval(() => {}, 1_000);
  t.match(await line, /nowhere/);
  clearInterval(alive);
});

test('the CPU backend of this machine finds its device', async (t) => {
  const { devices } = loadAddon(chooseBackend('cpu').backend);
  t.ok(devices.some((device) => !device.gpu));
});
