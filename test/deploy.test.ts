// The files of deploy/ refer only to metrics, variables, routes and files of the release that exist.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { parseAllDocuments, parse } from 'yaml';
import { readConfig } from '../src/platform/config/config.ts';
import { runbookAddress } from '../src/features/alerts/rules.ts';
import { alertsWith } from '../src/features/alerts/kinds.ts';
import { webhookAlerts } from '../src/features/webhooks/alerts.ts';
import { startTestService } from '../verify/kit/service.ts';

const run = promisify(execFile);
const read = (file: string): string => readFileSync(new URL(`../deploy/${file}`, import.meta.url), 'utf8');
const files = globSync('deploy/**/*', { withFileTypes: true })
  .filter((one) => one.isFile())
  .map((one) => join(one.parentPath, one.name));

/** null: the program is not installed. */
async function output(program: string, args: readonly string[], cwd: string): Promise<string | null> {
  try {
    const { stdout, stderr } = await run(program, args, { cwd });
    return stdout + stderr;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

const service = await startTestService();

/** What /metrics answers when every metric has a value. */
async function allMetrics(): Promise<string> {
  const { service: running } = service;
  await service.channel('wrong')('POST', '/orders', {});
  await service.admin('GET', '/reconcile');
  running.services.metrics.refused('overloaded');
  running.services.metrics.channelRefusal('signature_missing');
  return running.services.metrics.registry.metrics();
}

const namesIn = (text: string): Set<string> =>
  new Set(Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name ?? ''));

test('docs/operations.md lists every metric with its labels', async () => {
  const text = await allMetrics();
  const cells = readFileSync('docs/operations.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `sluice_'))
    .map((line) => line.split('|').map((cell) => cell.match(/[a-z_]+/g) ?? []));
  const labels = new Map(
    cells.flatMap(([, names = [], listed = []]) => names.map((name) => [name, listed.toSorted()] as const)),
  );
  const own = [...namesIn(text)].filter((name) => name.startsWith('sluice_'));
  assert.deepEqual([...labels.keys()].toSorted(), own.toSorted());
  const samples = [...text.matchAll(/^(sluice_\w+?)(?:_bucket|_sum|_count)?\{(.*)\} /gm)];
  assert.ok(samples.length > 50);
  for (const [, name = '', pairs = ''] of samples)
    assert.deepEqual(
      [...pairs.matchAll(/(?:^|,)(?!le=)(\w+)=/g)].map(([, label = '']) => label).toSorted(),
      labels.get(name),
      name,
    );
});

test('names, types and help texts of the metrics are those of test/metrics.txt', async () => {
  const own = (await allMetrics()).match(/^# (?:HELP|TYPE) sluice_.*$/gm) ?? [];
  assert.deepEqual(own.toSorted(), readFileSync('test/metrics.txt', 'utf8').trimEnd().split('\n'));
});

test('alert rules and dashboard use only metrics and labels that the service exports', async () => {
  const text = await allMetrics();
  const names = namesIn(text);
  const dashboard: { panels: { targets: { expr: string; legendFormat: string }[] }[] } = JSON.parse(
    read('prometheus/grafana.json'),
  );
  const rules: { groups: { rules: { expr: string }[] }[] } = parse(read('prometheus/alerts.yml'));
  const targets = dashboard.panels.flatMap((panel) => panel.targets);
  const expressions = [
    ...targets.map(({ expr }) => expr),
    ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
  ];
  assert.match(text, /^sluice_build_info\{version="\d+\.\d+\.\d+",node="v24\.[\d.]+"\} 1$/m);
  assert.ok(expressions.length > 20);
  for (const expression of expressions) {
    const used =
      expression.match(/\b(?:sluice|process)_[a-z_]+/g) ?? (expression.includes('up{') ? ['up'] : []);
    assert.ok(used.length > 0, expression);
    for (const name of used.filter((one) => one !== 'up'))
      assert.ok(names.has(name) || names.has(name.replace(/_(?:bucket|sum|count)$/, '')), name);
  }
  assert.match(
    text,
    /sluice_http_request_seconds_bucket\{[^}]*method="POST"[^}]*route="\/api\/v1\/orders"|route="\/api\/v1\/orders"[^}]*method="POST"/,
  );
});

test('the runbook has a section for every alert by its name, and for no other; every rule links its section', async () => {
  const text = readFileSync('docs/runbook.md', 'utf8');
  const sectionsOf = (heading: string): string[] =>
    (text.split(`## ${heading}\n`)[1] ?? '').split(/^## /m)[0]?.split(/^### /m).slice(1) ?? [];
  const nameOf = (section: string): string => section.split('\n')[0] ?? '';
  const rules: { groups: { rules: { alert: string; annotations: { runbook_url: string } }[] }[] } = parse(
    read('prometheus/alerts.yml'),
  );
  const kinds = alertsWith([webhookAlerts]).kinds.map(({ name }) => name);
  const all = rules.groups.flatMap((group) => group.rules);
  const [ofPrometheus, ofService] = [sectionsOf('Alerts of Prometheus'), sectionsOf('Alerts of the service')];
  assert.deepEqual(ofPrometheus.map(nameOf).toSorted(), all.map(({ alert }) => alert).toSorted());
  assert.deepEqual(ofService.map(nameOf).toSorted(), kinds.toSorted());
  for (const section of [...ofPrometheus, ...ofService])
    assert.match(
      section,
      /\*\*Means:\*\* [^]*\*\*Look at[^]*\*\*Do:\*\*|do:\*\*[^]*\*\*Closes:\*\*/,
      nameOf(section),
    );
  const answer = await fetch(`${service.origin}/docs/runbook`);
  const page = await answer.text();
  const links = [
    ...all.map(({ alert, annotations }) => {
      assert.equal(annotations.runbook_url, `https://sluice.example.com/docs/runbook#${alert.toLowerCase()}`);
      return annotations.runbook_url;
    }),
    ...kinds.map(runbookAddress),
  ];
  for (const link of links) assert.ok(page.includes(` id="${link.split('#')[1]}"`), link);
});

test('every variable in deploy/ is documented in docs/operations.md', () => {
  const operations = readFileSync('docs/operations.md', 'utf8');
  const named = files.flatMap(
    (file) => readFileSync(file, 'utf8').match(/\b(?:SLUICE|DATABASE)_[A-Z_]+\b/g) ?? [],
  );
  const own = new Set(['SLUICE_DOMAIN', 'SLUICE_UPSTREAM']); // read by compose.yaml and Caddyfile.single only
  assert.ok(named.length > 20);
  for (const name of new Set(named)) assert.ok(own.has(name) || operations.includes(`\`${name}\``), name);
});

test('the nightly commands of systemd and Kubernetes write a backup, replace that of last week and remove partial files', async () => {
  const { database } = service;
  const directory = mkdtempSync(join(tmpdir(), 'sluice-backups-'));
  after(() => rmSync(directory, { recursive: true }));
  const urls = { DATABASE_URL_FILE: database.url, DATABASE_MIGRATION_URL_FILE: database.ownerUrl };
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'] };
  for (const [name, url] of Object.entries(urls)) {
    env[name] = join(directory, name);
    writeFileSync(env[name], url);
  }
  const unit = Array.from(
    read('systemd/sluice-backup.service').matchAll(/^ExecStart(?:Pre)?=\/bin\/sh -ec '(.*)'$/gm),
    ([, command = '']) => command.replaceAll('$$', '$').replaceAll('%%', '%'),
  );
  const cron: any = parseAllDocuments(read('kubernetes/sluice.yaml'))
    .map((one) => one.toJS())
    .find(({ kind }) => kind === 'CronJob');
  const [{ args, command }] = cron.spec.jobTemplate.spec.template.spec.containers;
  assert.deepEqual(command, ['/bin/sh', '-ec']);
  assert.equal(unit.length, 2);
  for (const commands of [unit, args as string[]]) {
    writeFileSync(join(directory, 'Mon.backup.partial-1'), 'of a killed backup');
    for (let night = 1; night <= 2; night += 1) {
      for (const line of commands)
        await run(
          '/bin/sh',
          [
            '-ec',
            line
              .replaceAll('/opt/sluice/', `${process.cwd()}/`)
              .replaceAll(/\/var\/lib\/sluice-backups\b|(?<![\w/])\/backups\b/g, directory),
          ],
          { env },
        );
      const written = globSync('*.backup*', { cwd: directory });
      assert.equal(written.length, 1, `night ${night}: ${written.join()}`);
      assert.match(written[0] ?? '', /^\w{3}\.backup$/);
    }
    rmSync(join(directory, globSync('*.backup', { cwd: directory })[0] ?? ''));
  }
});

test('Kubernetes and Compose: the service accepts the settings, the probes exist, and a stop has enough time', () => {
  const [deployment] = parseAllDocuments(read('kubernetes/sluice.yaml')).map((one): any => one.toJS());
  const { spec } = deployment.spec.template;
  const [container] = spec.containers;
  const given: { name: string; value: string }[] = container.env;
  const env = Object.fromEntries(
    given.filter(({ name }) => !name.endsWith('_FILE')).map(({ name, value }) => [name, value]),
  );
  const config = readConfig(env, '/opt/sluice');
  assert.equal(
    container.ports.find(({ name }: { name: string }) => name === 'internal').containerPort,
    config.internal_port,
  );
  assert.equal(container.readinessProbe.httpGet.path, '/readyz');
  assert.equal(container.livenessProbe.httpGet.path, '/healthz');
  assert.equal(container.startupProbe.httpGet.path, '/healthz');
  assert.ok(container.readinessProbe.timeoutSeconds > 2, '/readyz takes up to 2 s');
  const volumes = spec.volumes.map(({ name }: { name: string }) => name);
  for (const { env: variables, volumeMounts } of [...spec.initContainers, ...spec.containers]) {
    for (const { name } of volumeMounts) assert.ok(volumes.includes(name), name);
    for (const { name, value } of variables)
      assert.ok(
        !name.endsWith('_FILE') ||
          volumeMounts.some(({ mountPath }: { mountPath: string }) => value.startsWith(`${mountPath}/`)),
        `${name}: ${value} is not mounted`,
      );
  }
  const owner = given.some(({ name }) => name.startsWith('DATABASE_MIGRATION_URL'));
  assert.equal(owner, false, 'the service does not get the role that owns the schema');
  const { periodSeconds, failureThreshold } = container.readinessProbe;
  assert.ok(
    (config.drain_ms ?? 0) > periodSeconds * failureThreshold * 1_000 + 1_000,
    'the drain lasts longer than Kubernetes needs to notice that the service is not ready',
  );
  assert.ok(
    spec.terminationGracePeriodSeconds * 1_000 >= (config.drain_ms ?? 0) + 40_000,
    'the grace period covers the drain and 40 s for the stop itself',
  );

  const { services, secrets } = parse(read('container/compose.yaml'));
  for (const one of Object.values<any>(services)) {
    for (const secret of one.secrets ?? []) assert.ok(secret in secrets, secret);
    for (const [name, file] of Object.entries<string>(one.environment))
      if (name.endsWith('_FILE')) assert.ok(one.secrets.includes(basename(file)), `${name}: ${file}`);
    for (const volume of one.volumes ?? []) {
      const [from] = volume.split(':');
      assert.ok(!from.startsWith('.') || existsSync(join('deploy/container', from)), from);
    }
  }
  const {
    SLUICE_PUBLIC_URL: _public,
    DATABASE_URL_FILE: _url,
    SLUICE_SECRET_FILE: _secret,
    ...rest
  } = services.sluice.environment;
  const { drain_ms } = readConfig(rest, '/opt/sluice');
  assert.ok(Number.parseInt(services.sluice.stop_grace_period) * 1_000 >= (drain_ms ?? 0) + 40_000);
  assert.ok(!services.sluice.secrets.includes('migration-url'));
  assert.ok(
    services.postgres.healthcheck.test.includes('-h'),
    'on its socket it answers before it is set up',
  );
});

test('proxies wait for /readyz and for waiting reads, and close idle connections before the service does', () => {
  const seconds = (file: string, setting: string): number =>
    Number(new RegExp(`^\\s*${setting}\\s+(\\d+)s;?$`, 'm').exec(read(`proxies/${file}`))?.[1] ?? Number.NaN);
  const { idle_connection_ms, headers_ms } = readConfig({}, '/opt/sluice').timeouts;
  const idle = idle_connection_ms / 1_000;
  const [readyz, wait] = [2, 30]; // docs/operations.md; contract 10.22
  for (const file of ['Caddyfile', 'Caddyfile.single']) {
    assert.ok(seconds(file, 'health_timeout') > readyz, file);
    assert.ok(seconds(file, 'keepalive') < idle, file);
  }
  assert.ok(seconds('haproxy.cfg', 'timeout check') > readyz);
  assert.equal(seconds('haproxy.cfg', 'timeout http-request'), headers_ms / 1_000);
  // Without it, HAProxy would close idle connections after "timeout http-request".
  assert.equal(seconds('haproxy.cfg', 'timeout http-keep-alive'), seconds('haproxy.cfg', 'timeout client'));
  for (const [file, setting] of [
    ['haproxy.cfg', 'timeout server'], // of idle connections too
    ['nginx.conf', 'proxy_read_timeout'], // an idle connection: 60 s
  ] as const)
    assert.ok(seconds(file, setting) > wait && seconds(file, setting) < idle, file);
});

test('systemd accepts the units, and Prometheus accepts the rules', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-units-'));
  after(() => rmSync(directory, { recursive: true }));
  for (const file of files.filter((one) => one.includes('/systemd/sluice'))) {
    const text = readFileSync(file, 'utf8');
    const program = /^ExecStart=(\S+sluice) serve$/m.exec(text)?.[1];
    assert.ok(program === undefined || existsSync(program.replace('/opt/sluice/', '')), program);
    // The program does not exist at this path here.
    writeFileSync(
      join(directory, basename(file)),
      text.replace(/^ExecStart=.*sluice serve$/m, 'ExecStart=/bin/true'),
    );
  }
  const units = ['sluice.service', 'sluice-backup.service', 'sluice-backup.timer'];
  const verified = await output('systemd-analyze', ['verify', '--man=no', ...units], directory);
  if (verified === null) t.diagnostic('systemd-analyze is not installed');
  else assert.equal(verified, '');
  for (const unit of units.filter((one) => one.endsWith('.service'))) {
    const hardened = readFileSync(join('deploy/systemd', unit), 'utf8')
      .split('# V8 compiles')[1]
      ?.split('\n[')[0];
    assert.equal(
      hardened?.trim(),
      read('systemd/sluice.service').split('# V8 compiles')[1]?.split('\n[')[0]?.trim(),
    );
    const security = await output('systemd-analyze', ['security', '--offline=true', unit], directory);
    // Prints the exposure from 0 to 10. Without the restrictions it was 8.5.
    const exposure = /exposure level for \S+: ([\d.]+)/.exec(security ?? '')?.[1];
    assert.ok(security === null || Number(exposure) <= 3, `${unit}: ${exposure}`);
  }
  const tests = read('prometheus/alerts.test.yml');
  for (const [, alert = ''] of read('prometheus/alerts.yml').matchAll(/- alert: (\w+)/g))
    assert.match(
      tests,
      new RegExp(`alertname: ${alert}\\s+exp_alerts:\\s+- `),
      `${alert} never fires in a test`,
    );
  const tested = await output('promtool', ['test', 'rules', 'alerts.test.yml'], 'deploy/prometheus');
  const checked = await output('promtool', ['check', 'config', 'prometheus.yml'], 'deploy/prometheus');
  if (tested === null) t.diagnostic('promtool is not installed (Debian: prometheus)');
  else assert.match(tested, /SUCCESS/);
  assert.ok(checked === null || checked.includes('SUCCESS: 1 rule files found'), `${checked}`);
});
