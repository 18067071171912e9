// `npm run bench:webhooks`: events per second to one endpoint. The receiver runs in the same process as the service.
import { setTimeout as sleep } from 'node:timers/promises';
import { count, optionsOf, optionsOrExit } from '../../verify/kit/command-line.ts';
import { fixtures, must, orderOf } from '../../verify/kit/fixtures.ts';
import { startReceiver } from '../../verify/kit/receiver.ts';
import { startOwnServer } from '../../verify/kit/server.ts';
import { openService } from '../../verify/kit/service.ts';

const HELP = `npm run bench:webhooks -- [options]

Events per second to one webhook endpoint.

  --orders N   number of events that wait for the endpoint (default 5000)
  --help`;

const { orders: ORDERS } = optionsOrExit(HELP, optionsOf({ orders: count(5000) }));
const CLIENTS = 64;
const POLL_MS = 10;

const server = await startOwnServer({ fsync: 'on', shared_buffers: '128MB' });
const service = await openService({ database: server.database, env: { SLUICE_JOBS: '1' } });
const receiver = await startReceiver();
try {
  const make = fixtures(service);
  const channel = await make.channel();
  const sku = await make.map(channel, await make.variant(1_000_000));
  const body = { url: receiver.url, events: ['order.accepted'], is_active: false };
  const { id } = await must(service.admin('POST', '/webhooks', body), 201);
  let left = ORDERS;
  const client = async (): Promise<void> => {
    while (left-- > 0)
      await must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1000 }])), 201);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await must(service.admin('PATCH', `/webhooks/${id}`, { is_active: true }), 200);
  while (receiver.received.length === 0) await sleep(POLL_MS);
  const first = { at: performance.now(), count: receiver.received.length };
  const cpu = process.cpuUsage();
  while (receiver.received.length < ORDERS) await sleep(POLL_MS);
  const seconds = (performance.now() - first.at) / 1000;
  const rate = (ORDERS - first.count) / seconds;
  const { user, system } = process.cpuUsage(cpu);
  const cpuSeconds = (user + system) / 1e6;
  process.stdout.write(
    `${ORDERS} events in ${seconds.toFixed(1)} s: ${rate.toFixed(0)} events/s over ${receiver.connections()} connections, ${cpuSeconds.toFixed(1)} s of CPU time of service and receiver\n`,
  );
} finally {
  await service.close();
  await receiver.close();
  await server.remove();
}
