// Turns order and report bodies into commands, and their outcomes into answers.
import type { IntakeCommand, ReportCommand } from '../rules/commands.ts';
import type { Sender } from '../rules/credentials.ts';
import { startsWithAny } from '../rules/order-number-prefix.ts';
import { parsePrice, type Decimal } from '../../platform/values/money.ts';
import { numberText, type ExactNumber } from '../../platform/schema/json-body.ts';
import type { ActiveChannel } from '../directory/store.ts';
import type { ChannelApi } from './channel-api.ts';
import type { Span } from '../../platform/tracing/spans.ts';
import { submit } from '../gate/submit.ts';
import { answerTo, invalidNumber, type OrderResponse } from './outcomes.ts';
import type { OrderRequest, StatusRequest } from './schemas.ts';

/** The sender as checked after the body arrived; the gate checks it again (contract 5.2a). */
interface Judged {
  channel: ActiveChannel;
  secret_id: number;
  request_id: string;
  span: Span | null;
}

const senderOf = ({ channel: { key_version }, secret_id }: Judged): Sender => ({ key_version, secret_id });

export interface ChannelOrder extends Judged {
  body: OrderRequest;
}

export async function takeOrder(services: ChannelApi, order: ChannelOrder): Promise<OrderResponse> {
  const { formatTimestamp, hooks, log, metrics } = services;
  const { channel, request_id, body } = order;
  const { id } = channel;
  const outcome = await submit(services, intakeCommand(channel, senderOf(order), body), order);
  if (outcome.kind === 'created') metrics.channelOrder(channel.label);
  else if (outcome.kind === 'number_reserved') observeBadNumber(services, order);
  else hooks.orderDecided.call({ channel_id: id, request_id, body }, outcome);
  // The response must not give the reason (contract 4.3.3a), so it is logged.
  if (outcome.kind === 'order_number_taken')
    log.warn({ request_id, channel_id: id, reason: outcome.kind }, "the order number is another channel's");
  return answerTo(outcome, formatTimestamp);
}

/** A validation rule that depends on the channel (contract 10.13). null: the number has the channel's prefix. */
export function prefixFault(services: ChannelApi, order: ChannelOrder): OrderResponse | null {
  const { order_number_prefix: prefix } = order.channel;
  if (prefix === null || order.body.order_number.startsWith(prefix)) return null;
  observeBadNumber(services, order);
  return invalidNumber(`order_number must start with ${prefix}.`);
}

function observeBadNumber({ hooks }: ChannelApi, { channel, request_id, body }: ChannelOrder): void {
  hooks.orderInvalid.call({ channel_id: channel.id, request_id, body, field: 'order_number' });
}

export interface ChannelReport extends Judged {
  order_number: string;
  body: StatusRequest;
}

export async function takeReport(services: ChannelApi, report: ChannelReport): Promise<OrderResponse> {
  const { channel, order_number, request_id, body } = report;
  const channel_id = channel.id;
  const command: ReportCommand = {
    ...reportFields(body),
    target: { channel_id, order_number },
    sender: senderOf(report),
    source: 'channel',
    actor: `channel:${channel_id}`,
    request_id,
  };
  const outcome = await submit(services, command, report);
  if (outcome.kind !== 'reported')
    services.hooks.reportRefused.call({ channel_id, request_id, order_number, status: body.status }, outcome);
  return answerTo(outcome, services.formatTimestamp);
}

function intakeCommand(channel: ActiveChannel, sender: Sender, body: OrderRequest): IntakeCommand {
  return {
    kind: 'intake',
    channel_id: channel.id,
    sender,
    order_number: body.order_number,
    is_number_reserved: startsWithAny(body.order_number, channel.reserved_prefixes),
    limits: channel.limits,
    status: body.status ?? 1,
    is_backorder: body.is_backorder ?? false,
    recipient_name: body.recipient_name,
    recipient_phone: body.recipient_phone,
    shipping_address: body.shipping_address,
    tracking_number: body.tracking_number ?? null,
    lines: body.items.map(({ sku, quantity, unit_price }) => ({
      sku,
      quantity,
      unit_price: priceOf(unit_price),
    })),
  };
}

/** The exact price as received. Most prices are integers, which need no parsing as text. */
function priceOf(price: number | ExactNumber): Decimal {
  if (typeof price === 'number' && Number.isSafeInteger(price)) return { units: BigInt(price), scale: 0 };
  const exact = parsePrice(numberText(price));
  if (!exact) throw new RangeError('a price that the schema should have refused');
  return exact;
}

/** The fields of a status request, for channels and for the back office. */
export const reportFields = (
  body: StatusRequest,
): Omit<ReportCommand, 'target' | 'sender' | 'credential' | 'source' | 'actor' | 'request_id'> => ({
  kind: 'report',
  status: body.status,
  tracking_number: body.tracking_number ?? null,
  courier_code: body.courier_code ?? null,
  reason: body.reason ?? null,
});
