// Product registration from a channel: preview, then apply.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from '../../platform/schema/json-schema.ts';
import {
  inquire,
  preview,
  registerProduct,
  selectSkus,
  type ChannelAccess,
  type Registration,
  type RegistrationChanges,
  type Result,
} from './changes.ts';
import type { ProductProposal } from '../rules/set-product.ts';
import { channelFailureText } from '../../platform/outbound/failure-words.ts';
import { withWords } from './violation-words.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import {
  ApplyRequest,
  RegisteredChanges,
  RegistrationPlan,
  AdminProductInfo,
  ProductInfoRequest,
  RegistrationError,
} from './schemas.ts';
import { refusalOf } from '../../platform/admin-api/refusal.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  InvalidBody,
  RefusalBody,
  security,
} from '../../platform/admin-api/schemas.ts';
import { channelIdOf, ChannelParams } from '../channels/existing.ts';
import { change } from '../../platform/accounts/change.ts';

const tags = ['product registration'];
const config = { role: 'operator' } as const;
interface Call {
  Params: Static<typeof ChannelParams>;
  Body: ProductInfoRequest;
}
interface ApplyCall extends Call {
  Body: ApplyRequest;
}

export function registerProductInfo(app: FastifyInstance, services: BackOffice): void {
  const { pool, sealer, config: settings } = services;
  const access = { pool, sealer, allowPrivate: settings.allow_private_channel_urls };

  app.route<Call>({
    method: 'POST',
    url: '/channels/:id/product-info',
    config,
    schema: {
      summary: 'Fetch product information from the channel; changes nothing',
      tags,
      security,
      params: ChannelParams,
      body: ProductInfoRequest,
      response: {
        200: DataOf(AdminProductInfo),
        404: RefusalBody,
        ...COMMON_ANSWERS,
        422: { anyOf: [InvalidBody, RegistrationError] },
      },
    },
    handler: async (request) => ({ data: await show(access, request) }),
  });

  app.route<ApplyCall>({
    method: 'POST',
    url: '/channels/:id/product-info/apply',
    config,
    schema: {
      summary: 'Fetch again and apply product, variants and SKU mappings, all or nothing',
      tags,
      security,
      params: ChannelParams,
      body: ApplyRequest,
      response: {
        200: { anyOf: [DataOf(RegisteredChanges), DataOf(RegistrationPlan)] },
        404: RefusalBody,
        ...COMMON_ANSWERS,
        422: { anyOf: [InvalidBody, RegistrationError] },
      },
    },
    handler: async (request) => ({ data: await register(services, access, request) }),
  });
}

const NOT_FOUND = {
  found: false,
  goods_name: null,
  is_set: false,
  groups: [],
  options: [],
  skus: [],
  violations: [],
  changes: null,
};

async function show(
  access: ChannelAccess,
  request: FastifyRequest<Call>,
): Promise<Static<typeof AdminProductInfo>> {
  const channel_id = channelIdOf(request.params);
  const product_code = request.body.usercode;
  const inquiry = await inquire(access, { channel_id, usercode: product_code });
  // A product that the channel does not have is a valid result.
  if (inquiry.kind === 'product_not_found')
    return { ...NOT_FOUND, product_code, errors: [channelFailureText(inquiry.failure)] };
  if (inquiry.kind !== 'answered') throw refusalOf(inquiry);
  const { proposal } = inquiry;
  const wanted = registrationOf(channel_id, request.body, proposal);
  const shown = { ...withWords(proposal), product_code, changes: null };
  if (proposal.violations.length > 0 || wanted.skus.length === 0) return shown;
  const plan = await preview(access, { wanted, proposal });
  return plan.kind === 'planned'
    ? { ...shown, changes: plan.changes }
    : { ...shown, ...withWords(plan.proposal) };
}

async function register(
  services: BackOffice,
  access: ChannelAccess,
  request: FastifyRequest<ApplyCall>,
): Promise<RegistrationChanges | Static<typeof RegistrationPlan>> {
  const channel_id = channelIdOf(request.params);
  const inquiry = await inquire(access, { channel_id, usercode: request.body.usercode });
  if (inquiry.kind !== 'answered') throw refusalOf(inquiry);
  const { proposal } = inquiry;
  if (proposal.violations.length > 0) throw misconfigured(proposal);
  const wanted = registrationOf(channel_id, request.body, proposal);
  if (wanted.skus.length === 0) throw refusalOf({ kind: 'nothing_to_apply' });
  if (request.body.dry_run === true) {
    const plan = await preview(access, { wanted, proposal });
    if (plan.kind === 'impossible') throw misconfigured(plan.proposal);
    return planOf(plan.changes);
  }
  const { changes } = await change(services, request, (tx, by) =>
    registerProduct(tx, by, { wanted, proposal }),
  );
  return changes;
}

const misconfigured = ({ violations }: ProductProposal) =>
  refusalOf({ kind: 'option_configuration', violations });

const actionOf = <const Update extends string>(done: Result, update: Update) =>
  ({ created: 'create', updated: update, unchanged: 'keep' } as const)[done];

const planOf = ({ product, variants, mappings }: RegistrationChanges): Static<typeof RegistrationPlan> => ({
  product: {
    code: product.code,
    name: product.name,
    action: actionOf(product.result, 'rename'),
    before_name: product.before,
  },
  variants: variants.map(({ code, power, result: what, before }) => ({
    code,
    power,
    action: actionOf(what, 'update'),
    before_power: before,
  })),
  mappings: mappings.map(({ sku, variant_code, result: what, before }) => ({
    sku,
    variant_code,
    action: actionOf(what, 'replace'),
    before,
  })),
});

function registrationOf(
  channel_id: number,
  body: ProductInfoRequest,
  proposal: ProductProposal,
): Registration {
  const selection = selectSkus(proposal, body.option_codes ?? null);
  if (selection.kind !== 'selected') throw refusalOf(selection);
  return { channel_id, code: body.usercode, name: proposal.goods_name, skus: selection.skus };
}
