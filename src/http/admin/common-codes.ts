// Code lists that operators keep; the group DELIVERY_COMPANY names the couriers that shipments refer to.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from 'typebox';
import { insertAudit, type Actor } from '../../store/audit.ts';
import {
  deleteCommonCode,
  listCommonCodes,
  lockCommonCode,
  upsertCommonCode,
  type CommonCode,
} from '../../store/common-codes.ts';
import { type Tx } from '../../store/database.ts';
import { reading } from '../../store/transactions.ts';
import { ErrorBody, Text } from '../schema.ts';
import type { Services } from '../services.ts';
import { actorOf } from './auth.ts';
import { limitOf, ListOf, page, pageQuery, textAfter, type PageQuery } from './page.ts';
import { Refusal } from './refusal.ts';
import { CODE_CHARACTERS_MAX, COMMON_ANSWERS, DataOf, PathText, security } from './schemas.ts';
import { writing } from './writing.ts';

const NAME_CHARACTERS_MAX = 100;

const CodeItem = Type.Object({ code: Type.String(), name: Type.String() });
const CodeRequest = Type.Object({ name: Text(NAME_CHARACTERS_MAX) });
const GroupParams = Type.Object({ group: PathText('The code group, e.g. DELIVERY_COMPANY.') });
const CodeParams = Type.Object({ ...GroupParams.properties, code: PathText('The code.') });
const NewCodeParams = Type.Object({ group: Text(CODE_CHARACTERS_MAX), code: Text(CODE_CHARACTERS_MAX) });
type CodeParams = Static<typeof CodeParams>;
const tags = ['common codes'];
const role = 'operator';

export function registerCommonCodes(app: FastifyInstance, services: Services): void {
  registerList(app, services);

  app.route<{ Params: CodeParams; Body: Static<typeof CodeRequest> }>({
    method: 'PUT',
    url: '/common-codes/:group/:code',
    config: { role },
    schema: {
      summary: 'Add a code, or rename it',
      tags,
      security,
      params: NewCodeParams,
      body: CodeRequest,
      response: { 200: DataOf(CodeItem), ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const { group, code } = request.params;
      const wanted = { code, name: request.body.name };
      await writing(services, request, (tx) => putCode(tx, actorOf(request), group, wanted));
      return { data: wanted };
    },
  });

  app.route<{ Params: CodeParams }>({
    method: 'DELETE',
    url: '/common-codes/:group/:code',
    config: { role },
    schema: {
      summary: 'Remove a code; shipments keep what they recorded',
      tags,
      security,
      params: CodeParams,
      response: { 204: Type.Null(), 404: ErrorBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const { group, code } = request.params;
      await writing(services, request, (tx) => removeCode(tx, actorOf(request), group, code));
      return reply.code(204).send();
    },
  });
}

function registerList(app: FastifyInstance, services: Services): void {
  app.route<{ Params: Static<typeof GroupParams>; Querystring: PageQuery }>({
    method: 'GET',
    url: '/common-codes/:group',
    schema: {
      summary: 'The codes of a group, by code',
      tags,
      security,
      params: GroupParams,
      querystring: Type.Object(pageQuery),
      response: { 200: ListOf(CodeItem), ...COMMON_ANSWERS },
    },
    handler: async ({ params, query }) => {
      const limit = limitOf(query);
      const found = await reading(services.pool, (tx) =>
        listCommonCodes(tx, params.group, textAfter(query), limit + 1),
      );
      return page(
        found,
        limit,
        (row) => row.code,
        (row) => row,
      );
    },
  });
}

async function putCode(tx: Tx, by: Actor, group: string, wanted: CommonCode): Promise<void> {
  const before = await lockCommonCode(tx, group, wanted.code);
  await upsertCommonCode(tx, group, wanted);
  await insertAudit(tx, by, {
    action: 'common_code.put',
    subject: `common_code:${group}/${wanted.code}`,
    before: before ? { name: before.name } : null,
    after: { name: wanted.name },
  });
}

async function removeCode(tx: Tx, by: Actor, group: string, code: string): Promise<void> {
  const before = await lockCommonCode(tx, group, code);
  if (!before) throw Refusal.notFound(`The code ${code} of the group ${group}`);
  await deleteCommonCode(tx, group, code);
  await insertAudit(tx, by, {
    action: 'common_code.delete',
    subject: `common_code:${group}/${code}`,
    before: { name: before.name },
    after: null,
  });
}
