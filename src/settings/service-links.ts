import { isIP } from 'node:net';

/** `tcp://10.96.0.12:8080`, an IPv6 address in brackets. */
const LINK = /^(?:tcp|udp|sctp):\/\/(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):\d{1,5}$/;
const PORT = /^\d{1,5}$/;

const isLink = (value: string): boolean => {
  const [, bracketed, bare] = LINK.exec(value) ?? [];
  return bracketed === undefined ? isIP(bare ?? '') === 4 : isIP(bracketed) === 6;
};
const isAddress = (value: string): boolean => isIP(value) !== 0;
const isPort = (value: string): boolean => PORT.test(value);

/**
 * What Kubernetes sets in every pod for a service of its namespace, here after the prefix `DECIDER` of a service
 * `decider` or `DECIDER_X` of a service `decider-x`. The first form that fits a name decides about its value.
 */
const FORMS: readonly (readonly [name: RegExp, fits: (value: string) => boolean])[] = [
  [/^DECIDER(_.+)?_PORT_\d+_(TCP|UDP|SCTP)_ADDR$/, isAddress],
  [/^DECIDER(_.+)?_PORT_\d+_(TCP|UDP|SCTP)_PORT$/, isPort],
  [/^DECIDER(_.+)?_PORT_\d+_(TCP|UDP|SCTP)_PROTO$/, (value) => /^(tcp|udp|sctp)$/.test(value)],
  [/^DECIDER(_.+)?_PORT_\d+_(TCP|UDP|SCTP)$/, isLink],
  [/^DECIDER(_.+)?_SERVICE_HOST$/, isAddress],
  [/^DECIDER(_.+)?_SERVICE_PORT(_.+)?$/, isPort],
  [/^DECIDER(_.+)?_PORT$/, isLink],
];

/**
 * The environment variables that look like settings and are service links of Kubernetes, by name and value. A variable of
 * such a name with a value of another form is not among them.
 */
export function serviceLinks(variables: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(variables)
    .filter(([name, value]) => {
      const form = FORMS.find(([pattern]) => pattern.test(name));
      return form !== undefined && value !== undefined && form[1](value);
    })
    .map(([name]) => name)
    .sort();
}

/** Names that a notice lists. */
const NAMED_MAX = 3;

/** One sentence about service links that were ignored; null if there are none. */
export function serviceLinksNotice(variables: Readonly<Record<string, string | undefined>>): string | null {
  const found = serviceLinks(variables);
  if (found.length === 0) return null;
  const more = found.length > NAMED_MAX ? ` and ${found.length - NAMED_MAX} more` : '';
  return `Ignored environment variables that Kubernetes sets for a service: ${found.slice(0, NAMED_MAX).join(', ')}${more}. They are not settings; enableServiceLinks: false in the pod leaves them out.`;
}
