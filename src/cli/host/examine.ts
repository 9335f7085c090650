import { type Clock, NODE_MIN, showTime } from '../../base/index.js';
import { remedyFor } from '../../engine/index.js';
import { tryCertificate } from '../../http/index.js';
import { addressesOf, expiryWarning, exposureOf, tlsFiles } from '../../server/index.js';
import type { Settings } from '../../settings/index.js';
import { attemptAll, attemptFinding, type Finding, fault, ok, warning } from '../findings.js';
import type { HostProbes } from './probes.js';

/** The first driver for CUDA 12. */
const DRIVER_MIN = 525;
/**
 * The GPUs for which the prebuilt libraries for CUDA 13 (node-llama-cpp 3.22.1) have machine code. For the others they
 * have PTX 9.1, which only drivers for CUDA 13.1 and newer translate: on an H100 with driver 580.159.04, the first
 * decode ended the process with `CUDA error`, while the same kernels as machine code ran.
 */
const COMPILED_CAPABILITIES = ['8.6', '8.9', '12.0', '12.1'];
const PTX_DRIVER_MIN = 590;
/** The first driver that runs the libraries for CUDA 13; with older ones, those for CUDA 12 are used. */
const CUDA_13_DRIVER_MIN = 580;
/** A connection takes one, and LMDB, models and threads a few hundred. */
const FILES_MIN = 4_096;
/** The threads of engines, preparation, batches and llama.cpp on a large host. */
const THREADS_MIN = 1_024;
const FILES_REMEDY = 'LimitNOFILE=65536 in the unit, or ulimit -n 65536';
const THREADS_REMEDY = 'TasksMax=4096 in the unit, or ulimit -u 4096';
/** Every commit waits for one durable write; a local SSD takes 0.1 to 10 ms. */
const WRITE_MS_MAX = 50;

const SAME_USER = 'Run doctor and the server as the same user, and make that user own the folder.';

/** Checks the host for a server with these settings. `served`: a server runs on its data folder. */
export async function* examineHost(
  settings: Settings,
  served: boolean,
  probes: HostProbes,
  clock: Pick<Clock, 'now'>,
): AsyncGenerator<Finding> {
  const checks: Readonly<Record<string, () => Finding | Promise<Finding>>> = {
    node: () => node(probes),
    libraries: () => libraries(probes),
    'gpu driver': async () => driver(settings, probes, await probes.computeCapabilities()),
    'open files': () => limit('open files', probes.openFilesMax(), FILES_MIN, FILES_REMEDY),
    threads: () => limit('threads', probes.threadsMax(), THREADS_MIN, THREADS_REMEDY),
    'time server': async () => synchronized(await probes.isClockSynchronized()),
  };
  for (const [name, check] of Object.entries(checks)) yield attemptFinding(name, check);
  yield* dataFolder(settings, probes);
  yield await attemptFinding('network', () => network(settings));
  yield await attemptFinding('certificate', () => certificate(settings, clock));
  if (!served) yield* attemptAll('ports', ports(settings, probes));
}

function node({ nodeVersion }: HostProbes): Finding {
  const older = nodeVersion.localeCompare(NODE_MIN, 'en', { numeric: true }) < 0;
  if (!older) return ok('node', nodeVersion);
  return fault('node', `Node.js ${nodeVersion} is too old.`, `Install Node.js ${NODE_MIN} or newer.`);
}

/** The addon is compiled against one version of llama.cpp, whichever backend it then loads. */
function libraries(probes: HostProbes): Finding {
  const versions = probes.libraryVersions();
  const detail = [...versions].map(([backend, version]) => `${backend} ${version}`).join(', ');
  if (new Set(versions.values()).size === 1) return ok('libraries', detail);
  if (versions.size === 0)
    return fault('libraries', 'No libraries of llama.cpp are installed.', remedyFor('cpu'));
  const found = `The libraries of llama.cpp have different versions: ${detail}.`;
  return fault('libraries', found, 'Run npm ci, then npm run install:BACKEND for each GPU backend in use.');
}

function driver({ engine }: Settings, probes: HostProbes, capabilities: readonly string[]): Finding {
  const version = probes.nvidiaDriver();
  const hasLibraries = probes.hasCudaLibraries();
  const wanted = engine.backend === 'cuda' || engine.backend === 'auto';
  if (!wanted) return ok('gpu driver', `not needed: engine.backend is ${engine.backend}`);
  if (version === null) {
    if (!hasLibraries) return ok('gpu driver', 'no NVIDIA driver');
    const remedy = 'Install the driver until nvidia-smi shows the GPU, or set engine.backend to cpu.';
    return warning('gpu driver', 'The CUDA libraries are installed, and no NVIDIA driver is loaded.', remedy);
  }
  if (!hasLibraries) {
    const detail = `The NVIDIA driver ${version} is loaded, and the CUDA libraries are not installed.`;
    return warning('gpu driver', detail, remedyFor('cuda'));
  }
  const major = Number.parseInt(version, 10);
  if (major < DRIVER_MIN) {
    const detail = `The NVIDIA driver ${version} is too old for CUDA 12.`;
    return fault('gpu driver', detail, `Install ${DRIVER_MIN} or newer.`);
  }
  const others = capabilities.filter((one) => !COMPILED_CAPABILITIES.includes(one));
  if (probes.arePrebuilt() && others.length > 0 && major >= CUDA_13_DRIVER_MIN && major < PTX_DRIVER_MIN) {
    const detail = `On a GPU of compute capability ${others.join(', ')}, the NVIDIA driver ${version} cannot run the libraries for CUDA 13.`;
    const remedy = `Install driver ${PTX_DRIVER_MIN} or newer, or the runtime of CUDA 12 in place of that of CUDA 13.`;
    return warning('gpu driver', detail, remedy);
  }
  return ok('gpu driver', version);
}

function limit(check: string, found: number | null, least: number, remedy: string): Finding {
  if (found === null) return ok(check, 'no limit known');
  if (found >= least) return ok(check, found === Number.POSITIVE_INFINITY ? 'no limit' : `at most ${found}`);
  return warning(check, `At most ${found}; a busy server may need ${least}.`, `Set ${remedy}.`);
}

function synchronized(follows: boolean | null): Finding {
  if (follows === null) return ok('time server', 'not known');
  if (follows) return ok('time server', 'the system clock follows one');
  const detail = 'The system clock follows no time server: expiry and deletion depend on it.';
  return warning('time server', detail, 'Run: timedatectl set-ntp true');
}

function* dataFolder({ data, store }: Settings, probes: HostProbes): Generator<Finding> {
  let mode: number | null;
  let ms: number;
  let owner: number | null;
  try {
    owner = probes.folderOwner(data);
    mode = probes.folderMode(data);
    ms = probes.durableWriteMs(data);
  } catch (error) {
    yield fault('permissions', `${data}: ${(error as Error).message}`, SAME_USER);
    return;
  }
  if (owner !== null)
    yield warning(
      'permissions',
      `${data} belongs to user ${owner}, who can read and replace its files.`,
      SAME_USER,
    );
  else if (mode === null || (mode & 0o077) === 0) yield ok('permissions', `${data} is writable`);
  else yield warning('permissions', `${data} is open to other users.`, `Run: chmod 700 ${data}`);
  // With a database, no commit waits for this disk.
  if (ms <= WRITE_MS_MAX || store.url !== '') yield ok('disk', `a durable write takes ${ms.toFixed(1)} ms`);
  else {
    const detail = `A durable write takes ${Math.round(ms)} ms, and every commit waits for one.`;
    yield warning('disk', detail, 'Put the data folder on a local SSD.');
  }
}

function network(settings: Settings): Finding {
  const addresses = addressesOf(settings);
  const exposures = addresses.flatMap(({ keys, host }) => exposureOf(keys.host, host, settings) ?? []);
  const detail = exposures.map(({ notice }) => notice).join(' ');
  if (exposures.every(({ behindProxy }) => behindProxy))
    return ok('network', detail || addresses.map(({ host }) => host).join(', '));
  return warning('network', detail, 'Set tls.cert and tls.key, or name the proxy in http.trusted_proxies.');
}

async function certificate({ tls }: Settings, { now }: Pick<Clock, 'now'>): Promise<Finding> {
  const files = tlsFiles(tls);
  if (files === null) return ok('certificate', 'no TLS');
  const found = await tryCertificate(files);
  const due = expiryWarning(found, now());
  if (due === null) return ok('certificate', `${files.cert}, until ${showTime(found.expires)}`);
  return warning('certificate', due, 'Renew it, and check what should have.');
}

const REMEDIES: Readonly<Record<string, (keys: string, port: number) => string>> = {
  EADDRINUSE: (keys, port) => `Run: ss -ltnp 'sport = :${port}', end that process, or change ${keys}.`,
  EACCES: (keys) => `Choose a port from 1024 in ${keys}, or give the server CAP_NET_BIND_SERVICE.`,
};

async function* ports(settings: Settings, probes: HostProbes): AsyncGenerator<Finding> {
  const addresses = addressesOf(settings);
  const codes = await probes.listenErrors(addresses);
  for (const [index, { keys, host, port }] of addresses.entries()) {
    const check = `port ${port}`;
    const code = codes[index] ?? null;
    const named = `${keys.host}, ${keys.port}`;
    const remedy = code !== null && REMEDIES[code]?.(named, port);
    if (code === null) yield ok(check, `${host} is free`);
    else
      yield fault(
        check,
        `${host}:${port} is not available: ${code}.`,
        remedy || `Correct ${named}: the address must be one of this machine.`,
      );
  }
}
