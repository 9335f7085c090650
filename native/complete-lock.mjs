// Maintainers: run after every change of a lockfile (`npm run lock`).
//
// npm writes into a lockfile only those optional platform packages that it could see, and `npm ci` on
// any platform then refuses the lock for the others ("Missing: … from lock file"). This adds each missing
// one, optional and bound to its platform, so that one lock serves Linux and macOS.
//
// It also removes `engines` of packages that run on Node.js 20 although they ask for a newer one: `npm ci` would
// warn of each (`EBADENGINE`).
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

/**
 * uws-pack has binaries for Node.js 20. The others are used by tests only, which pass on Node.js 20: clients of OpenAI
 * and System One, and what tap needs for coverage, which is off.
 */
const RUNS_ON_NODE_20 =
  /(^|\/)node_modules\/(uWebSockets\.js|ai|openai|@ai-sdk\/[a-z-]+|c8|yargs|yargs\/node_modules\/yargs-parser)$/;

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
  for (const [place, entry] of Object.entries(lock.packages))
    if (RUNS_ON_NODE_20.test(place)) delete entry.engines;
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${file}: ${added.length === 0 ? 'complete' : `added ${added.join(', ')}`}`);
}

for (const file of process.argv.slice(2)) complete(file);
