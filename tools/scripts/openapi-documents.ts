// The OpenAPI documents as clients get them, from a service that is created but never started, so no database
// is needed.
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../src/platform/config/config.ts';
import type { OpenApiDocument } from '../../src/platform/docs/document.ts';
import { createLogger } from '../../src/platform/log/log.ts';
import { assemble } from '../../src/start/service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The service never connects to it. */
const NO_DATABASE = { url: 'postgres://127.0.0.1:1/none', secret: 'seals nothing: no channel is made here' };

export async function readDocument(api: 'api' | 'admin'): Promise<OpenApiDocument> {
  const config = readConfig({ SLUICE_DATA_DIR: tmpdir() }, ROOT);
  const { app } = await assemble(config, NO_DATABASE, createLogger('error'));
  try {
    const answer = await app.inject({ url: `/${api}/v1/openapi.json` });
    if (answer.statusCode !== 200)
      throw new Error(`The OpenAPI document cannot be read: ${answer.statusCode}`);
    return answer.json<OpenApiDocument>();
  } finally {
    await app.close();
  }
}
