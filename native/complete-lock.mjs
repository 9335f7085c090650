// Maintainers: run after every change of a lockfile (`npm run lock`).
//
// npm writes into a lockfile only those optional platform packages that it could see, and `npm ci` on
// any platform then refuses the lock for the others ("Missing: … from lock file"). This adds each missing
// one, optional and bound to its platform, so that one lock serves Linux and macOS.
import { readFileSync, writeFileSync } from 'node:fs';

const OPERATING_SYSTEMS = {
  darwin: 'darwin',
  mac: 'darwin',
  win32: 'win32',
  win: 'win32',
  windows: 'win32',
  linux: 'linux',
  android: 'android',
  freebsd: 'freebsd',
  openharmony: 'openharmony',
};
const PROCESSORS = ['x64', 'arm64', 'arm', 'armv7l', 'ia32', 'ppc64', 'riscv64', 's390x'];

function platform(name) {
  const words = name.split(/[/-]/);
  const os = words.map((word) => OPERATING_SYSTEMS[word]).find(Boolean);
  const cpu = words.find((word) => PROCESSORS.includes(word));
  if (!os || !cpu) return null;
  return {
    os: [os],
    cpu: [cpu === 'armv7l' ? 'arm' : cpu],
    ...(words.includes('musl') ? { libc: ['musl'] } : {}),
  };
}

function complete(file) {
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const added = [];
  for (const entry of Object.values(lock.packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const place = `node_modules/${name}`;
      if (place in lock.packages) continue;
      const bound = platform(name);
      // A range is kept out: the entry must name one version.
      if (!bound || !/^\d+\.\d+\.\d+$/.test(range))
        throw new Error(`${file}: cannot complete ${name}@${range}`);
      lock.packages[place] = { version: range, ...bound, optional: true };
      added.push(name);
    }
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${file}: ${added.length === 0 ? 'complete' : `added ${added.join(', ')}`}`);
}

for (const file of process.argv.slice(2)) complete(file);
