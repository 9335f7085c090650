import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { libraries } from '#native/platform.mjs';
import { entryFile } from '../../src/base/index.js';
import { probedBy, search } from '../../src/engine/addon/choose-backend.js';
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
    probe: (backend) =>
      working.includes(backend)
        ? { devices: [GPU, CPU], failure: null }
        : { devices: [CPU], failure: `no ${backend}.so` },
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
    notice:
      'An NVIDIA GPU is present, but cuda finds none: no cuda.so. It needs the NVIDIA driver and the runtime of CUDA 13 or 12 (libcudart, libcublas).',
  });
  const render = { hasRenderNode: () => true };
  t.match(chooseBackend('auto', machine([], [], render)), {
    backend: 'cpu',
    notice: /npm run install:vulkan/,
  });
  t.match(chooseBackend('auto', machine(['vulkan'], [], render)), {
    backend: 'cpu',
    notice: /^A GPU is present, but vulkan finds none: no vulkan\.so\. It needs .* libvulkan\.so\.1\.$/,
  });
});

test('a named backend that finds no device, is not installed or does not exist is an error', async (t) => {
  t.throws(() => chooseBackend('cuda', machine(['cuda'], [])), {
    name: 'BackendError',
    message: /cuda finds no GPU: no cuda\.so\. It needs the NVIDIA driver and the runtime of CUDA 13 or 12/,
  });
  const unknown = { probe: () => ({ devices: [CPU], failure: null }) };
  t.throws(() => chooseBackend('vulkan', machine(['vulkan'], [], unknown)), {
    message: /vulkan finds no GPU\. It needs the driver of the GPU and libvulkan\.so\.1\. To use none/,
  });
  t.throws(() => chooseBackend('cuda', machine([], [])), /npm run install:cuda/);
  t.throws(() => chooseBackend('metal', machine([], [])), /does not exist/);
  t.equal(chooseBackend('cuda', machine(['cuda'], ['cuda'])).backend, 'cuda');
  t.equal(chooseBackend('cpu', machine(['cuda'], ['cuda'])).backend, 'cpu');
});

test('a search that fails says how it ended', async (t) => {
  const ended = { pid: 1, output: [], stdout: '', stderr: '', status: null, signal: null };
  const failure = (result: Partial<typeof ended> | object) => probedBy({ ...ended, ...result }).failure;
  const found = { devices: [GPU], failure: null };
  const reported = (text: string) => ({ ...ended, status: 0, output: [null, null, '', text] });
  t.strictSame(probedBy(reported(`${JSON.stringify(found)}\n`)), found);
  t.equal(failure(reported('')), 'its search reported nothing that can be read');
  t.equal(
    failure({ ...reported('Loader: ok'), stderr: 'no layer\n' }),
    'its search reported nothing that can be read: no layer',
  );
  t.equal(
    failure({ signal: 'SIGSEGV', stderr: 'CUDA error\nno device\n' }),
    'its search ended with SIGSEGV: CUDA error no device',
  );
  const late = Object.assign(new Error('spawnSync'), { code: 'ETIMEDOUT' });
  t.equal(failure({ signal: 'SIGTERM', error: late }), 'its search has not ended within 60 s');
  t.equal(failure({ status: 3 }), 'its search ended with status 3');
});

test('what a driver or a layer prints on standard output is no part of a search', async (t) => {
  const prints = 'console.log("layer"); process.on("exit", () => console.log("{}"))';
  const args = [fileURLToPath(entryFile('engine/addon/probe-devices')), 'cpu'];
  const found = search(['--import', `data:text/javascript,${encodeURIComponent(prints)}`, ...args]);
  t.match(found, { devices: [{ name: 'CPU' }], failure: null });
});

test('a library of a backend that does not load: what the loader says', async (t) => {
  const folder = t.testdir();
  const cpu = libraries('cpu') as string;
  const any = readdirSync(cpu).find((file) => /^libggml-cpu.*\.so$/.test(file)) as string;
  // It looks for libggml-base.so beside itself.
  copyFileSync(join(cpu, any), join(folder, 'libggml-vulkan.so'));
  const module = fileURLToPath(entryFile('engine/addon/missing-library'));
  // In this process, libggml-base.so is loaded already.
  const script = `import { missingLibrary } from ${JSON.stringify(module)};
    console.log(JSON.stringify(['vulkan', 'cuda', 'cpu'].map((backend) => missingLibrary(backend, ${JSON.stringify(folder)}))));`;
  const options = { encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], options);
  const [vulkan, cuda, none] = JSON.parse(stdout || stderr);
  t.match(vulkan, /^libggml-base\.so: cannot open shared object file/);
  t.match(cuda, /^libggml-cuda\.so: cannot open shared object file/);
  t.equal(none, null);
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
