// sluice seed: adds demo data.
import { seedDemo, type SeedResult } from './changes.ts';
import { changeIn } from '../../platform/command-database/change.ts';
import type { CliCommand } from '../../platform/cli/command.ts';
import { withSealer } from '../../platform/sealed-values/with-sealer.ts';
import { formatCount, print, printJson } from '../../platform/cli/output.ts';

export const seedCommand: CliCommand = {
  name: 'seed',
  summary: 'add demo data: catalogue, channels, stock, allocations, rates, couriers',
  options: { force: { help: 'also if real channels have orders' } },
  about: [
    'Contact lenses and other goods, channels in KR, JP and US with their mappings. Existing data are',
    'not changed, so a second run adds nothing. The keys of new channels are printed once.',
  ],
  examples: ['sluice seed'],
  async run(args, { sealedColumns }) {
    const force = args.flag('force');
    const { added, channels } = await withSealer(
      sealedColumns,
      (pool, sealer) => changeIn(pool, (tx, by) => seedDemo(tx, by, { sealer, force })),
      { creates: true },
    );
    const result = { added, channels };
    if (args.json) printJson(result);
    else print(summary(result));
    return 0;
  },
};

function summary({ added, channels }: SeedResult): string {
  const parts = Object.entries(added)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${formatCount(n)} ${name.replaceAll('_', ' ')}`);
  if (parts.length === 0) return 'The demo data already exist; nothing was added.';
  const keys = channels.map(({ id, name, api_key }) => `  channel ${id}  ${api_key}  ${name}`);
  return [
    `Added: ${parts.join(', ')}.`,
    ...(keys.length > 0 ? ['API keys (shown only now):', ...keys] : []),
  ].join('\n');
}
