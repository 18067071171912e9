// Code lists; the group DELIVERY_COMPANY contains the couriers of shipments.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { putCommonCode, removeCommonCode } from './changes.ts';
import {
  CODE_ALIASES_MAX,
  CODE_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
} from '../../platform/values/text-limits.ts';
import { HTTP_URL_CHARACTERS_MAX } from '../../platform/values/http-url.ts';
import { checkTrackingUrl } from '../rules/tracking-link.ts';
import { listCommonCodes } from './store.ts';
import { nullable, OptionalText, Text } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { ListOf, pageQuery, readPage, textAfter, type PageQuery } from '../../platform/admin-api/page.ts';
import { Refusal } from '../../platform/admin-api/refusal.ts';
import { COMMON_ANSWERS, DataOf, PathText, RefusalBody, security } from '../../platform/admin-api/schemas.ts';
import { change } from '../../platform/accounts/change.ts';

const CodeItem = Type.Object(
  {
    code: Type.String(),
    name: Type.String(),
    tracking_url: nullable<string>({ type: 'string', description: 'Of a courier; null: none.' }),
    aliases: Type.Array(Type.String(), {
      description: 'Other names by which lists of shipments find a courier.',
    }),
  },
  { title: 'CommonCode' },
);
const CodeRequest = Type.Object({
  name: Text(NAME_CHARACTERS_MAX),
  tracking_url: OptionalText(HTTP_URL_CHARACTERS_MAX, {
    description:
      'Of a courier: the http(s) address of a parcel, with {tracking_number} in it. null removes it; absent: as it is.',
    examples: ['https://trace.example.com/?no={tracking_number}'],
  }),
  aliases: Type.Optional(
    Type.Array(Text(NAME_CHARACTERS_MAX), {
      maxItems: CODE_ALIASES_MAX,
      description: 'Other names of a courier, as in the files of carriers. Absent: as they are.',
    }),
  ),
});
const GroupParams = Type.Object({ group: PathText('The code group, e.g. DELIVERY_COMPANY.') });
const CodeParams = Type.Object({ ...GroupParams.properties, code: PathText('The code.') });
const NewCodeParams = Type.Object({ group: Text(CODE_CHARACTERS_MAX), code: Text(CODE_CHARACTERS_MAX) });
type CodeParams = Static<typeof CodeParams>;
const tags = ['common codes'];
const role = 'operator';

export function registerCommonCodes(app: FastifyInstance, services: BackOffice): void {
  registerList(app, services);

  app.route<{ Params: CodeParams; Body: Static<typeof CodeRequest> }>({
    method: 'PUT',
    url: '/common-codes/:group/:code',
    config: { role },
    schema: {
      summary: 'Add a code, or change it',
      tags,
      security,
      params: NewCodeParams,
      body: CodeRequest,
      response: { 200: DataOf(CodeItem), ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const { group, code } = request.params;
      const { tracking_url } = request.body;
      const fault = typeof tracking_url === 'string' ? checkTrackingUrl(tracking_url) : null;
      if (fault) throw Refusal.invalid('tracking_url', fault);
      const wanted = { group, code, ...request.body };
      const done = await change(services, request, (tx, by) => putCommonCode(tx, by, wanted));
      return { data: done.code };
    },
  });

  app.route<{ Params: CodeParams }>({
    method: 'DELETE',
    url: '/common-codes/:group/:code',
    config: { role },
    schema: {
      summary: 'Remove a code; recorded shipments keep it',
      tags,
      security,
      params: CodeParams,
      response: { 204: Type.Null(), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const { group, code } = request.params;
      await change(services, request, (tx, by) => removeCommonCode(tx, by, { group, code }));
      return reply.code(204).send();
    },
  });
}

function registerList(app: FastifyInstance, services: BackOffice): void {
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
      return readPage(services.pool, query, {
        read: (tx, limit) => listCommonCodes(tx, params.group, textAfter(query), limit),
        key: (row) => row.code,
        present: (row) => row,
      });
    },
  });
}
