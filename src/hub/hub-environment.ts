import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { OperatorError } from '../base/index.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** How the hub is reached. */
export interface HubSettings {
  /** Without a slash at its end. */
  readonly endpoint: string;
  /** Sent to the endpoint only; null: none. */
  readonly token: string | null;
  /** How long a connection may stay silent. */
  readonly timeoutMs: number;
}

const DEFAULT_ENDPOINT = 'https://huggingface.co';
const DEFAULT_TIMEOUT_S = 30;
const YES = /^(1|true|yes|on)$/i;

/**
 * Reads the environment variables that the hub documents: HF_ENDPOINT, HF_TOKEN (or HUGGING_FACE_HUB_TOKEN),
 * HF_TOKEN_PATH, HF_HOME, XDG_CACHE_HOME, HF_HUB_DISABLE_IMPLICIT_TOKEN, HF_HUB_OFFLINE and HF_HUB_DOWNLOAD_TIMEOUT.
 * Throws OperatorError, which never contains a value that may be secret.
 */
export function hubSettings(environment: Environment, home: string = homeFolder()): HubSettings {
  requireProxies(environment);
  if (YES.test(environment.HF_HUB_OFFLINE ?? '')) {
    throw new OperatorError('HF_HUB_OFFLINE is set, so nothing is downloaded. Unset it.');
  }
  const seconds = Number(environment.HF_HUB_DOWNLOAD_TIMEOUT || DEFAULT_TIMEOUT_S);
  if (!(seconds >= 1 && seconds <= 3_600)) {
    throw new OperatorError('HF_HUB_DOWNLOAD_TIMEOUT must be a number of seconds from 1 to 3600.');
  }
  return {
    endpoint: readEndpoint(environment.HF_ENDPOINT || DEFAULT_ENDPOINT),
    token: readToken(environment, home),
    timeoutMs: seconds * 1_000,
  };
}

/** '' if this user has none, as in some containers: then no token is stored. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** The HTTP library would throw its own error, which quotes the URL and with it a password. */
function requireProxies(environment: Environment): void {
  for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY']) {
    const value = environment[name] ?? '';
    if (value === '' || (/^https?:\/\//i.test(value) && URL.canParse(value))) continue;
    throw new OperatorError(`${name} must be the URL of a proxy with its scheme: http://proxy.example:3128`);
  }
}

function readEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain =
    url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || !/^https?:$/.test(url.protocol)) {
    throw new OperatorError(
      `HF_ENDPOINT must be the URL of a hub, such as ${DEFAULT_ENDPOINT}, without a user name or query.`,
    );
  }
  return text.replace(/\/+$/, '');
}

function readToken(environment: Environment, home: string): string | null {
  if (YES.test(environment.HF_HUB_DISABLE_IMPLICIT_TOKEN ?? '')) return null;
  const given = environment.HF_TOKEN || environment.HUGGING_FACE_HUB_TOKEN;
  const token = (given || storedToken(environment, home)).trim();
  if (token === '') return null;
  // A header cannot carry other characters, and the error of the HTTP library would quote the token.
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new OperatorError(
    `The hub's token (${given ? 'HF_TOKEN' : tokenFile(environment, home)}) contains a space or a character that no token has. Set it again.`,
  );
}

function tokenFile(environment: Environment, home: string): string {
  const cache = environment.XDG_CACHE_HOME || join(home, '.cache');
  return environment.HF_TOKEN_PATH || join(environment.HF_HOME || join(cache, 'huggingface'), 'token');
}

/** The token that `hf auth login` stores; '' if there is none. */
function storedToken(environment: Environment, home: string): string {
  const file = tokenFile(environment, home);
  if (home === '' && !isAbsolute(file)) return '';
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
