// Product registration from a channel: look first, then apply.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { PRODUCT_NAME_CHARACTERS_MAX } from '../../backoffice/limits.ts';
import {
  variantsTaken,
  withViolations,
  type ProductProposal,
  type ProposedSku,
} from '../../domain/set-product.ts';
import {
  apply,
  inquire,
  preview,
  RegistrationRefused,
  type Registration,
  type RegistrationChanges,
  type RegistrationDesk,
  type Result,
} from '../../engine/registration.ts';
import { ValidationBody } from '../schema.ts';
import type { Services } from '../services.ts';
import { actorOf } from './auth.ts';
import {
  ApplyRequest,
  Changes,
  Plan,
  ProductInfo,
  ProductInfoRequest,
  RegistrationError,
} from './product-info-schemas.ts';
import { Refusal } from './refusal.ts';
import { channelIdOf, ChannelParams, COMMON_ANSWERS, DataOf, RefusalBody, security } from './schemas.ts';
import { writerFor } from './writing.ts';

const tags = ['product registration'];
const config = { role: 'operator' } as const;
interface Call {
  Params: Static<typeof ChannelParams>;
  Body: ProductInfoRequest;
}
interface ApplyCall extends Call {
  Body: ApplyRequest;
}

export function registerProductInfo(app: FastifyInstance, services: Services): void {
  const { pool, sealer, config: settings } = services;
  const desk = { pool, sealer, allowPrivate: settings.allow_private_channel_urls };

  app.route<Call>({
    method: 'POST',
    url: '/channels/:id/product-info',
    config,
    schema: {
      summary: 'Ask the channel about a product; changes nothing',
      tags,
      security,
      params: ChannelParams,
      body: ProductInfoRequest,
      response: {
        200: DataOf(ProductInfo),
        404: RefusalBody,
        ...COMMON_ANSWERS,
        422: { anyOf: [ValidationBody, RegistrationError] },
      },
    },
    handler: async (request) => ({ data: await show(desk, request) }),
  });

  app.route<ApplyCall>({
    method: 'POST',
    url: '/channels/:id/product-info/apply',
    config,
    schema: {
      summary: 'Ask again and apply: product, variants and SKU mappings, all or nothing',
      tags,
      security,
      params: ChannelParams,
      body: ApplyRequest,
      response: {
        200: { anyOf: [DataOf(Changes), DataOf(Plan)] },
        404: RefusalBody,
        ...COMMON_ANSWERS,
        422: { anyOf: [ValidationBody, RegistrationError] },
      },
    },
    handler: async (request) => ({ data: await register(services, desk, request) }),
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
  desk: RegistrationDesk,
  request: FastifyRequest<Call>,
): Promise<Static<typeof ProductInfo>> {
  const channelId = channelIdOf(request.params);
  const product_code = request.body.usercode;
  const answer = await ask(desk, channelId, request.body);
  if (!answer.found) return { ...NOT_FOUND, product_code, errors: [answer.message] };
  const { proposal } = answer;
  const wanted = registrationOf(channelId, request.body, proposal);
  const shown = { ...proposal, product_code, changes: null };
  if (proposal.errors.length > 0 || wanted.skus.length === 0) return shown;
  try {
    return { ...shown, changes: await preview(desk, wanted) };
  } catch (error) {
    if (error instanceof RegistrationRefused) return { ...shown, ...withTaken(proposal, error) };
    throw error;
  }
}

async function register(
  services: Services,
  desk: RegistrationDesk,
  request: FastifyRequest<ApplyCall>,
): Promise<RegistrationChanges | Static<typeof Plan>> {
  const channelId = channelIdOf(request.params);
  const answer = await ask(desk, channelId, request.body);
  if (!answer.found) throw refused('product_not_found', [answer.message]);
  const { proposal } = answer;
  if (proposal.errors.length > 0) throw refused('option_configuration', proposal.errors);
  const wanted = registrationOf(channelId, request.body, proposal);
  if (wanted.skus.length === 0)
    throw refused('nothing_to_apply', [
      'All options of this product are hidden: name those to apply in option_codes.',
    ]);
  try {
    if (request.body.dry_run === true) return planOf(await preview(desk, wanted));
    const applied = await apply(writerFor(services, request), actorOf(request), wanted);
    if (!applied) throw Refusal.notFound(`Channel ${channelId}`);
    return applied;
  } catch (error) {
    throw error instanceof RegistrationRefused
      ? refused('option_configuration', withTaken(proposal, error).errors)
      : error;
  }
}

const withTaken = (proposal: ProductProposal, { taken }: RegistrationRefused): ProductProposal =>
  withViolations(proposal, variantsTaken(proposal, taken));

const actionOf = <const Update extends string>(done: Result, update: Update) =>
  ({ created: 'create', updated: update, unchanged: 'keep' } as const)[done];

const planOf = ({ product, variants, mappings }: RegistrationChanges): Static<typeof Plan> => ({
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

type Answer = { found: true; proposal: ProductProposal } | { found: false; message: string };

/** A product that the channel does not have is an answer too; every other failure ends the request here. */
async function ask(desk: RegistrationDesk, channelId: number, body: ProductInfoRequest): Promise<Answer> {
  const inquiry = await inquire(desk, channelId, body.usercode);
  switch (inquiry.kind) {
    case 'channel_unknown':
      throw Refusal.notFound(`Channel ${channelId}`);
    case 'api_url_missing':
      throw Refusal.rule(
        'This channel has no api_url: register the address of its product information first.',
        { code: 'api_url_missing' },
      );
    case 'key_closed':
      throw Refusal.rule(
        'The key of this channel is sealed with another secret than that of the service: start it with the right one, or make a new key.',
        { code: 'key_closed' },
      );
    case 'failed':
      if (inquiry.reason === 'not_found') return { found: false, message: inquiry.message };
      throw Refusal.rule(inquiry.message, {
        code: 'channel_failed',
        details: { reason: inquiry.reason },
      });
    case 'answered':
      return { found: true, proposal: withLongName(inquiry.proposal) };
  }
}

/** A name that could not be edited here afterwards is a fault too. */
function withLongName(proposal: ProductProposal): ProductProposal {
  const characters = Array.from(proposal.goods_name).length;
  if (characters <= PRODUCT_NAME_CHARACTERS_MAX) return proposal;
  const message = `The product name has ${characters} characters; at most ${PRODUCT_NAME_CHARACTERS_MAX} are possible.`;
  return withViolations(proposal, [{ kind: 'name_too_long', rows: [], message }]);
}

const registrationOf = (
  channelId: number,
  body: ProductInfoRequest,
  proposal: ProductProposal,
): Registration => ({
  channel_id: channelId,
  code: body.usercode,
  name: proposal.goods_name,
  skus: selectSkus(proposal.skus, body.option_codes ?? null),
});

function selectSkus(skus: readonly ProposedSku[], picked: readonly string[] | null): ProposedSku[] {
  if (picked === null) return skus.filter((sku) => !sku.hidden);
  const offered = new Set(skus.map((sku) => sku.option_code));
  const unknown = [...picked.entries()].filter(([, code]) => !offered.has(code));
  if (unknown.length > 0) {
    throw Refusal.invalidFields(
      Object.fromEntries(
        unknown.map(([index]) => [
          `option_codes.${index}`,
          [`option_codes.${index} is not an option that the channel sent.`],
        ]),
      ),
    );
  }
  const wanted = new Set(picked);
  return skus.filter((sku) => wanted.has(sku.option_code));
}

/** The texts of all faults are in `details`; the shape is that of every rule that says no. */
const refused = (code: string, errors: readonly string[]): Refusal => {
  const more = errors.length - 1;
  const count = more === 0 ? '' : ` (and ${more} more error${more === 1 ? '' : 's'})`;
  return Refusal.rule(`${errors[0]}${count}`, { code, details: { errors } });
};
