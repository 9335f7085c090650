import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Longer than systemd takes to read a message, also on a busy machine. */
const NOTIFY_MS_MAX = 10_000;

/**
 * Tells systemd the state of this service, such as `READY=1`. Does nothing unless systemd started the process with
 * `Type=notify`. Node.js has no datagram sockets of the Unix domain, so systemd's own program sends the message. Resolves
 * with null, or with a sentence that says why the message was not sent.
 */
export async function notifySystemd(
  state: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string | null> {
  if (!environment.NOTIFY_SOCKET) return null;
  try {
    await promisify(execFile)('systemd-notify', [state], { env: environment, timeout: NOTIFY_MS_MAX });
    return null;
  } catch (error) {
    return `systemd was not told ${state}: ${(error as Error).message.split('\n')[0]}`;
  }
}
