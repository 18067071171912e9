// The client address of a request, for limits, logs and the audit.
import type { IncomingMessage } from 'node:http';
import type { Config } from '../config/config.ts';
import { clientAddress, isLoopback } from '../values/client-address.ts';

export type Received = Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } };

/** As text, without a port; `unknown` if the connection is already closed. */
export const clientAddressOf = (
  { socket, headers }: Received,
  { trusted_proxies }: Pick<Config, 'trusted_proxies'>,
): string =>
  clientAddress(socket.remoteAddress, [headers['x-forwarded-for'] ?? []].flat().join(), trusted_proxies);

const FORWARDING_HEADER = /^(x-forwarded-.*|forwarded|x-real-ip|via)$/;

/** `localhost`, or a loopback address, with or without a port. */
const LOCAL_NAME = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})(?::\d+)?$/i;

/**
 * A proxy on this machine forwards requests of other clients, and adds a header. `Host` is checked as well: a page in a
 * browser on this machine can let its own name point to a loopback address (DNS rebinding).
 */
export const isFromThisMachine = ({ socket, headers }: Received): boolean =>
  isLoopback(socket.remoteAddress) &&
  LOCAL_NAME.test(headers.host ?? '') &&
  !Object.keys(headers).some((name) => FORWARDING_HEADER.test(name));
