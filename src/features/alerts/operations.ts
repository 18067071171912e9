// Alerts, and the rules that open them.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { setAlertRule } from './changes.ts';
import { runbookAddress, type AlertRule } from './rules.ts';
import type { AlertKind } from './kinds.ts';
import type { FieldError } from '../../platform/values/field-fault.ts';
import { factsInZone } from '../../platform/values/timestamps.ts';
import { listAlerts, readAlertRules, type AlertRow } from './store.ts';
import { reading } from '../../platform/database/transactions.ts';
import { nullable, OptionalInteger } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { ListOf, numberAfter, pageQuery, readPage } from '../../platform/admin-api/page.ts';
import { Refusal, refusalOf } from '../../platform/admin-api/refusal.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  facts,
  PathText,
  RefusalBody,
  security,
  Timestamp,
} from '../../platform/admin-api/schemas.ts';
import { unknownField } from '../../platform/admin-api/unknown-fields.ts';
import { change } from '../../platform/accounts/change.ts';

const thresholds = {
  hours: OptionalInteger({
    description: 'rate_stale, channel_silent, prepayment_old, unmapped_sku: how long.',
  }),
  requests: OptionalInteger({ description: 'unmapped_sku: how many.' }),
  failures: OptionalInteger({ description: 'webhook_failing: failed attempts in a row.' }),
};
const RuleBody = Type.Object({ enabled: Type.Boolean(), ...thresholds });

function schemasOf(kinds: readonly AlertKind[]) {
  const names = kinds.map(({ name }) => name);
  const Kind = Type.Unsafe<string>({ type: 'string', enum: names });
  const AlertItem = Type.Object(
    {
      id: Type.Integer(),
      kind: Kind,
      subject: Type.String({ examples: ['variant:P1-V1', 'channel:7', 'currency:JPY'] }),
      details: facts('Which ones depends on the kind.'),
      opened_at: Timestamp,
      closed_at: nullable<string>({ type: 'string', description: 'null: it is open.' }),
      runbook_url: Type.String({ description: 'The section of the runbook about this kind.' }),
    },
    { title: 'Alert' },
  );
  const AlertQuery = Type.Object({
    ...pageQuery,
    state: Type.Optional(Type.Unsafe<'open' | 'closed'>({ type: 'string', enum: ['open', 'closed'] })),
    kind: Type.Optional(Kind),
  });
  const RuleItem = Type.Object(
    { kind: Kind, enabled: Type.Boolean(), ...thresholds },
    { title: 'AlertRule' },
  );
  const RuleParams = Type.Object({ kind: PathText(`One of ${names.join(', ')}.`) });
  return { AlertItem, AlertQuery, RuleItem, RuleParams };
}

type Schemas = ReturnType<typeof schemasOf>;
type Given<Name extends keyof Schemas> = Static<Schemas[Name]>;

interface Context {
  readonly services: BackOffice;
  readonly kinds: readonly AlertKind[];
  readonly schemas: Schemas;
}

const tags = ['alerts'];

export function registerAlerts(
  app: FastifyInstance,
  services: BackOffice,
  kinds: readonly AlertKind[],
): void {
  const context = { services, kinds, schemas: schemasOf(kinds) };
  registerList(app, context);
  registerRules(app, context);
  registerRule(app, context);
  registerRuleChange(app, context);
}

function registerList(app: FastifyInstance, { services, schemas }: Context): void {
  const { formatTimestamp, config } = services;
  const present = (alert: AlertRow): Given<'AlertItem'> => ({
    ...alert,
    details: factsInZone(alert.details, formatTimestamp),
    opened_at: formatTimestamp(alert.opened_at),
    closed_at: alert.closed_at && formatTimestamp(alert.closed_at),
    runbook_url: `${config.public_url ?? ''}${runbookAddress(alert.kind)}`,
  });
  app.route<{ Querystring: Given<'AlertQuery'> }>({
    method: 'GET',
    url: '/alerts',
    schema: {
      summary: 'Alerts, newest first; closed ones are kept for 90 days',
      tags,
      security,
      querystring: schemas.AlertQuery,
      response: { 200: ListOf(schemas.AlertItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const is_open = query.state === undefined ? null : query.state === 'open';
      const filter = { before: numberAfter(query), is_open, kind: query.kind ?? null };
      return readPage(services.pool, query, {
        read: (tx, limit) => listAlerts(tx, { ...filter, limit }),
        key: ({ id }) => id,
        present,
      });
    },
  });
}

function registerRules(app: FastifyInstance, { services, kinds, schemas }: Context): void {
  app.route({
    method: 'GET',
    url: '/alert-rules',
    schema: {
      summary: 'The rules of all kinds',
      tags,
      security,
      response: { 200: DataOf(Type.Array(schemas.RuleItem)), ...COMMON_ANSWERS },
    },
    handler: async () => ({
      data: (await reading(services.pool, (tx) => readAlertRules(tx, kinds))).map(presentRule),
    }),
  });
}

function registerRule(app: FastifyInstance, { services, kinds, schemas }: Context): void {
  app.route<{ Params: Given<'RuleParams'> }>({
    method: 'GET',
    url: '/alert-rules/:kind',
    schema: {
      summary: 'When alerts of a kind are opened',
      tags,
      security,
      params: schemas.RuleParams,
      response: { 200: DataOf(schemas.RuleItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async ({ params }) => {
      const [rule] = await reading(services.pool, (tx) => readAlertRules(tx, [kindOf(kinds, params)]));
      if (!rule) throw new RangeError('no rule');
      return { data: presentRule(rule) };
    },
  });
}

function registerRuleChange(app: FastifyInstance, { services, kinds, schemas }: Context): void {
  app.route<{ Params: Given<'RuleParams'>; Body: Static<typeof RuleBody> }>({
    method: 'PUT',
    url: '/alert-rules/:kind',
    config: { role: 'admin' },
    schema: {
      summary: 'Switch a kind on or off, and set its thresholds; those left out get their defaults',
      tags,
      security,
      params: schemas.RuleParams,
      body: RuleBody,
      response: { 200: DataOf(schemas.RuleItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const kind = kindOf(kinds, request.params);
      const settings = readThresholds(kind, request.body);
      const { enabled } = request.body;
      const { rule } = await change(services, request, (tx, by) =>
        setAlertRule(tx, by, { kind, enabled, settings }),
      );
      return { data: presentRule(rule) };
    },
  });
}

function kindOf(kinds: readonly AlertKind[], { kind: name }: { kind: string }): AlertKind {
  const kind = kinds.find((one) => one.name === name);
  if (!kind) throw refusalOf({ kind: 'alert_kind_unknown', alert_kind: name });
  return kind;
}

const presentRule = ({ kind, enabled, settings }: AlertRule): Given<'RuleItem'> => ({
  kind,
  enabled,
  ...settings,
});

/** The settings of this kind; those of other kinds are unknown fields. */
function readThresholds(kind: AlertKind, body: Static<typeof RuleBody>): Record<string, number> {
  const found: FieldError[] = [];
  const settings: Record<string, number> = {};
  const own: readonly string[] = kind.thresholds.map(({ name }) => name);
  for (const name of Object.keys(thresholds))
    if (name in body && !own.includes(name)) found.push(unknownField(name, name, own));
  for (const { name, minimum, maximum } of kind.thresholds) {
    const given = body[name] ?? null;
    if (given === null) continue;
    if (given < minimum) found.push({ field: name, fault: { kind: 'too_small', minimum } });
    else if (given > maximum) found.push({ field: name, fault: { kind: 'too_large', maximum } });
    else settings[name] = given;
  }
  if (found.length > 0) throw Refusal.invalidFields(found);
  return settings;
}
