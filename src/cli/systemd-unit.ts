import { resolve } from 'node:path';
import type { Settings } from '../settings/index.js';

/** What a unit is made from. */
export interface UnitOptions {
  readonly settings: Pick<
    Settings,
    'data' | 'store' | 'models' | 'tls' | 'http' | 'engine' | 'port' | 'gateway' | 'operator'
  >;
  /** Absolute path; null: none. */
  readonly config: string | null;
  /** The words that run `decider`: absolute paths of Node.js and of the program, or of the start script of a bundle. */
  readonly command: readonly string[];
  /** The user that the server runs as. */
  readonly user: string;
  /** The version of systemd; null if it is not known. */
  readonly systemd: number | null;
}

/** The state folder of the unit below /var/lib, which is also its working directory. */
const STATE = 'decider';
const STATE_FOLDER = `/var/lib/${STATE}`;
/** Beyond the drain: waves that cannot be interrupted, the last commit, the log. */
const STOP_MARGIN_MS = 30_000;
/** The first version with `RestartSteps`. */
const STEPS_SINCE = 254;
/** Paths that `ProtectHome=yes` hides. */
const HOMES = /^\/(home|root|run\/user)(\/|$)/;
/** Paths that `PrivateTmp=yes` hides. */
const TEMPORARY = /^\/(var\/)?tmp(\/|$)/;
/** Ports below it need a capability. */
const FREE_PORTS_FROM = 1_024;

/** A systemd unit for `decider serve`, with as few rights as the server works with. */
export function systemdUnit(options: UnitOptions): string {
  const sections = { Unit: unit(), Service: service(options), Install: ['WantedBy=multi-user.target'] };
  const texts = Object.entries(sections).map(([name, lines]) => `[${name}]\n${lines.join('\n')}\n`);
  return `# Written by decider systemd.\n${texts.join('\n')}`;
}

const unit = (): string[] => [
  'Description=decider, answers typed questions with probabilities',
  'Wants=network-online.target',
  'After=network-online.target nvidia-persistenced.service',
  '# Never gives up: the pause between restarts bounds their rate.',
  'StartLimitIntervalSec=0',
];

function service(options: UnitOptions): string[] {
  const { settings, config, user } = options;
  const drainMs = settings.http.drain_ms;
  const words = [...options.command, 'serve', ...(config === null ? [] : ['--config', config])];
  return [
    'Type=notify',
    '# The server sends READY=1 through systemd-notify, a child process.',
    'NotifyAccess=all',
    `ExecStart=${words.map(quote).join(' ')}`,
    'ExecReload=/bin/kill -HUP $MAINPID',
    `User=${user}`,
    `StateDirectory=${STATE}`,
    'StateDirectoryMode=0700',
    `WorkingDirectory=${STATE_FOLDER}`,
    ...writable(settings.data),
    '',
    '# Large models take minutes to verify and load.',
    'TimeoutStartSec=infinity',
    `# A drain takes up to ${drainMs / 1_000} s.`,
    `TimeoutStopSec=${Math.ceil((drainMs + STOP_MARGIN_MS) / 1_000)}`,
    '# Also after status 70 (a wave that never ends) and after an abort of llama.cpp.',
    'Restart=on-failure',
    ...pauses(options.systemd),
    'KillMode=mixed',
    'LimitNOFILE=65536',
    '# A core dump would hold the texts of callers and the master key.',
    'LimitCORE=0',
    'UMask=0077',
    '',
    ...hardening(options),
    '',
    ...devices(settings.engine.backend),
  ];
}

/** A path of the settings as the server finds it from its working directory. */
const pathOf = (path: string): string => resolve(STATE_FOLDER, path);

/** The data folder, if it is not below the state folder. */
function writable(data: string): string[] {
  const path = pathOf(data);
  return `${path}/`.startsWith(`${STATE_FOLDER}/`) ? [] : [`ReadWritePaths=${quote(path)}`];
}

/** Pauses between restarts, from 2 s up to a minute where systemd can lengthen them. */
function pauses(systemd: number | null): string[] {
  if (systemd === null || systemd < STEPS_SINCE) return ['RestartSec=10'];
  return ['RestartSec=2', 'RestartSteps=5', 'RestartMaxDelaySec=60'];
}

function hardening({ settings, command, config }: UnitOptions): string[] {
  const { data, store, models, tls, port, gateway, operator } = settings;
  const paths = [data, store.ca, models, tls.cert, tls.key, ...command, config ?? ''].map(pathOf);
  const uses = (folders: RegExp) => paths.some((path) => folders.test(path));
  const ports = [port, gateway.port, operator.port];
  const bindsLow = ports.some((each) => each !== 0 && each < FREE_PORTS_FROM);
  const capabilities = bindsLow ? 'CAP_NET_BIND_SERVICE' : '';
  return [
    'NoNewPrivileges=yes',
    `CapabilityBoundingSet=${capabilities}`,
    `AmbientCapabilities=${capabilities}`,
    'ProtectSystem=strict',
    `ProtectHome=${uses(HOMES) ? 'read-only' : 'yes'}`,
    `PrivateTmp=${uses(TEMPORARY) ? 'no' : 'yes'}`,
    'ProtectProc=invisible',
    'ProtectClock=yes',
    'ProtectControlGroups=yes',
    'ProtectHostname=yes',
    'ProtectKernelLogs=yes',
    'ProtectKernelModules=yes',
    'ProtectKernelTunables=yes',
    'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
    'RestrictNamespaces=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'LockPersonality=yes',
    'RemoveIPC=yes',
    'KeyringMode=private',
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service',
    'SystemCallErrorNumber=EPERM',
    '# Not MemoryDenyWriteExecute: Node.js compiles JavaScript to machine code.',
  ];
}

/** Access to GPUs and to no other device; on a CPU, to none. */
function devices(backend: Settings['engine']['backend']): string[] {
  if (backend === 'cpu') return ['PrivateDevices=yes'];
  const nvidia = [
    '# The device files of NVIDIA do not exist until a program with rights asks for them.',
    'ExecStartPre=+-/usr/bin/nvidia-modprobe -c 0 -u',
  ];
  const access = ['DevicePolicy=closed', 'DeviceAllow=char-nvidia* rw'];
  if (backend === 'cuda') return [...nvidia, ...access];
  return [...nvidia, ...access, 'DeviceAllow=char-drm rw', 'SupplementaryGroups=video render'];
}

/** A word of a command line or a path: `%` and `$` have a meaning in units. */
function quote(word: string): string {
  const escaped = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w./@%$:+,=-]+$/.test(word) ? escaped : `"${escaped.replace(/["\\]/g, '\\$&')}"`;
}
