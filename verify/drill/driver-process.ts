// The driver runs in its own process, which survives every kill of a drill. It is controlled by messages; see driver.ts.
import { Ledger } from './ledger.ts';
import { Traffic, type TrafficOptions } from './traffic.ts';

export type Order =
  | { do: 'start'; file: string; options: TrafficOptions }
  | { do: 'pause' | 'resume' | 'settle' | 'progress' | 'end' }
  | { do: 'note'; text: string };

let traffic: Traffic | undefined;

async function carryOut(order: Order): Promise<unknown> {
  if (order.do === 'start') {
    traffic = new Traffic(order.options, await Ledger.create(order.file));
    return traffic.start();
  }
  if (!traffic) throw new Error('not started');
  return order.do === 'note' ? traffic.note(order.text) : traffic[order.do]();
}

// Ctrl-C in a terminal reaches the whole process group, but the drill decides when the driver ends.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
process.on('message', ({ id, order }: { id: number; order: Order }) => {
  carryOut(order).then(
    (result) => process.send?.({ id, result }),
    (error: unknown) => process.send?.({ id, error: error instanceof Error ? error.stack : String(error) }),
  );
});
