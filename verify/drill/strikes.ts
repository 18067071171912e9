// Chooses where a fault of the network drill strikes: connection, protocol message, and how much of the message is
// forwarded.
import type { ProxyFault, Share, Strike } from '../kit/proxy.ts';
import type { MessageName } from '../kit/postgres-protocol.ts';
import type { Random } from '../kit/random.ts';

const SHARES: readonly Share[] = ['none', 'half', 'all'];
const TO_SERVER: readonly MessageName[] = ['Bind', 'Execute'];
const FROM_SERVER: readonly MessageName[] = ['BindComplete', 'CommandComplete'];
/** These follow each back-office statement; in a batch of the gate, only the last statement. */
const AT_SYNC: readonly MessageName[] = ['Sync', 'ReadyForQuery'];

/** The statements of every batch with a new order, in sequence. */
const OF_THE_GATE = ['begin', 'gate_lock_stock_of_skus', 'gate_read_orders', 'gate_write_orders'] as const;

const ONCE: readonly MessageName[] = ['Parse', 'ParseComplete', 'Describe'];
const WITHIN = [...TO_SERVER, ...FROM_SERVER];

const HOLD_MS_MAX = 1_500;

export function strikeWith(fault: ProxyFault, random: Random): Strike {
  const place = random.named({ gate_commit: 5, gate: 3, back_office: 1, parse: 1 });
  const message = random.pick(place === 'gate' ? WITHIN : [...WITHIN, ...AT_SYNC]);
  const common = { share: random.pick(SHARES), fault, hold_ms: random.between(0, HOLD_MS_MAX) };
  switch (place) {
    case 'gate_commit':
      return { ...common, connection: 'sluice-gate', statement: 'commit', message };
    case 'gate':
      return { ...common, connection: 'sluice-gate', statement: random.pick(OF_THE_GATE), message };
    case 'back_office':
      return { ...common, connection: 'sluice', statement: random.pick(['begin', 'commit']), message };
    case 'parse':
      return {
        ...common,
        connection: 'sluice-gate',
        statement: random.pick([...OF_THE_GATE, 'commit']),
        message: random.pick(ONCE),
      };
  }
}

/** A statement is parsed and described once per connection, so such a strike needs a new connection. */
export const needsNewConnection = ({ message }: Strike): boolean => ONCE.includes(message);

/** For the summary. */
export function placeOf({ connection, statement, message }: Strike): string {
  if (statement !== 'commit') return connection === 'sluice-gate' ? 'elsewhere in a batch' : 'elsewhere';
  const isFromServer = !['Parse', 'Describe', 'Sync', ...TO_SERVER].includes(message);
  return `COMMIT, ${isFromServer ? 'answer' : 'request'}`;
}

export const strikeWords = ({ fault, connection, statement, message, share }: Strike): string =>
  `${fault} of ${connection} at ${message} of ${statement}, ${share} of the message forwarded`;
