import { StartError } from '../base/index.js';
import { isLoopback, isLoopbackNetwork } from '../http/index.js';
import type { Settings } from '../settings/index.js';

/** The setting of a listening address. */
export type HostSetting = 'host' | 'gateway.host' | 'operator.host';

/** An address without TLS that other machines reach. */
interface Exposure {
  /** Whether only the proxies of the settings may reach it; otherwise `http.allow_plain` opens it to all machines. */
  readonly behindProxy: boolean;
  /** One sentence for the operator. */
  readonly notice: string;
}

/**
 * The exposure of a listening address; null: it has TLS, or only this machine reaches it. Throws StartError if neither a
 * proxy on another machine nor `http.allow_plain` is set. A proxy on this machine is no reason to listen beyond loopback.
 */
export function exposureOf(
  setting: HostSetting,
  host: string,
  {
    http,
    tls,
  }: {
    readonly http: Pick<Settings['http'], 'trusted_proxies' | 'allow_plain'>;
    readonly tls: Settings['tls'];
  },
): Exposure | null {
  // The operator listener has no TLS.
  const canEncrypt = setting !== 'operator.host';
  if (isLoopback(host) || (canEncrypt && tls.cert !== '')) return null;
  const plain = `${host} (${setting}) is served without TLS`;
  const proxies = http.trusted_proxies.filter((entry) => !isLoopbackNetwork(entry)).join(', ');
  if (proxies !== '') {
    const notice = `${plain}: only the proxies of http.trusted_proxies (${proxies}) may reach this port. Block all other addresses with a firewall.`;
    return { behindProxy: true, notice };
  }
  if (http.allow_plain) {
    return { behindProxy: false, notice: `${plain}: tokens and requests cross the network unencrypted.` };
  }
  throw new StartError(
    `${setting}: ${host} is reachable by other machines, and tokens would cross the network unencrypted. ${canEncrypt ? 'Set tls.cert and tls.key, name' : 'Name'} a proxy on another machine in http.trusted_proxies, or set http.allow_plain. For a proxy on this machine, listen on 127.0.0.1.`,
  );
}
