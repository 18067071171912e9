// Webhooks over TLS: the certificate is checked, and a connection that stays open collects no listeners.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setDefaultCACertificates } from 'node:tls';
import { WebhookConnections } from '../src/features/webhooks/post.ts';
import { listen } from '../verify/kit/ports.ts';

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'needs openssl for the certificate';
const directory = mkdtempSync(join(tmpdir(), 'sluice-webhook-tls-'));
after(() => rmSync(directory, { recursive: true, force: true }));

function makeCertificate(): { key: string; cert: string } {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(directory, name));
  assert.ok(key && cert);
  const named = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...named, '-keyout', key, '-out', cert];
  execFileSync('openssl', args, { stdio: 'ignore' });
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

test(
  'over TLS: an unknown issuer is refused; all requests share one connection, which keeps no listeners of them',
  { skip },
  async (t) => {
    const pair = makeCertificate();
    let opened = 0;
    const server = createServer(pair, (request, response) => {
      request.resume().on('end', () => response.end());
    });
    server.on('secureConnection', () => (opened += 1));
    const port = await listen(server);
    t.after(() => server.close());
    const endpoint = () =>
      new WebhookConnections(`https://localhost:${port}/`, { allowPrivate: true, connections_max: 1 });

    const strange = endpoint();
    const refused = await strange.post('{}', []);
    strange.close();
    assert.deepEqual([refused.kind, 'reason' in refused && refused.reason], ['failed', 'tls']);

    setDefaultCACertificates([pair.cert]);
    opened = 0;
    const warnings: string[] = [];
    const note = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', note);
    const known = endpoint();
    // One more than the number of listeners at which Node warns, and the first request adds one legitimately.
    for (let n = 0; n < 12; n++) assert.equal((await known.post('{}', [])).kind, 'response');
    process.off('warning', note);
    known.close();
    await once(server.close(), 'close');
    assert.equal(opened, 1);
    assert.deepEqual(warnings, []);
  },
);
