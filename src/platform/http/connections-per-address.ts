// One address must not take all connections. Trusted proxies carry the connections of many clients and are not limited.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressGroup, isTrustedProxy, type TrustedProxies } from '../values/client-address.ts';

export interface ConnectionLimit {
  per_address_max: number;
  proxies: TrustedProxies;
  onRefused: () => void;
}

/** Connections over the limit are closed immediately. */
export function limitConnections(
  server: Server,
  { per_address_max, proxies, onRefused }: ConnectionLimit,
): void {
  const open = new Map<string, number>();
  const groupOf = remembering((address) => (isTrustedProxy(address, proxies) ? null : addressGroup(address)));
  server.prependListener('connection', (socket: Socket) => {
    const group = groupOf(socket.remoteAddress ?? '');
    if (group === null) return;
    const count = open.get(group) ?? 0;
    if (count >= per_address_max) {
      onRefused();
      socket.destroy();
      return;
    }
    open.set(group, count + 1);
    socket.once('close', () => {
      const left = (open.get(group) ?? 1) - 1;
      if (left === 0) open.delete(group);
      else open.set(group, left);
    });
  });
}

const REMEMBERED_MAX = 1_000;

/** After a delay clients open many connections at once; parsing addresses took a fifth of the time of accepting them. */
function remembering(groupOf: (address: string) => string | null): typeof groupOf {
  const known = new Map<string, string | null>();
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    if (known.size >= REMEMBERED_MAX) known.clear();
    const group = groupOf(address);
    known.set(address, group);
    return group;
  };
}
