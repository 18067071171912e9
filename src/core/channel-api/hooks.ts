// What the channel API tells features. Called beside the answer: a feature keeps what it learns in memory.
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from '../../platform/schema/json-schema.ts';
import { Hook, Slot } from '../../platform/values/hook.ts';
import type { Outcome } from '../rules/commands.ts';
import type { Status } from '../rules/transitions.ts';
import type { OrderRequest } from './schemas.ts';

export interface SentRequest {
  channel_id: number;
  request_id: string;
}

/** GET /inventory with query parameters. */
export interface ListParts<Query> {
  /** Replaces parts of the operation's schema. */
  readonly schema: { readonly summary: string; readonly description: string; readonly querystring: TSchema };
  /** The whole list and its parts. */
  readonly answer: TSchema;
  /** null: no parameter asks for a part. */
  send(request: FastifyRequest<{ Querystring: Query }>, reply: FastifyReply): Promise<FastifyReply> | null;
}

/** Notes requests after their response. */
export interface RequestLogger {
  /** False: the request has no line of its own in the log. */
  saw(request: FastifyRequest, reply: FastifyReply, elapsedMs: number): boolean;
  /** A request to the gate that was answered 503 before it was routed. */
  shed(request: IncomingMessage, requestId: string): void;
  close(): void;
}

export class ChannelHooks {
  /** An order that was not accepted, or was sent again, has its outcome. */
  readonly orderDecided = new Hook<[sent: SentRequest & { body: OrderRequest }, outcome: Outcome]>();
  /** An order failed validation, also that of its number's prefix; `field` is the first invalid field. */
  readonly orderInvalid = new Hook<[sent: SentRequest & { body: unknown; field: string }]>();
  /** A report was refused. */
  readonly reportRefused = new Hook<
    [sent: SentRequest & { order_number: string; status: Status }, outcome: Outcome]
  >();
  /** A lookup named a SKU that is not mapped to the channel. */
  readonly skuUnmapped = new Hook<[channel_id: number, sku: string]>();
  readonly listParts = new Slot<ListParts<never>>();
  readonly requestLog = new Slot<RequestLogger>();
}
