// sluice migrate: brings the database up to this version.
import type { Command } from './command.ts';
import { withServer } from './database.ts';
import { plural, print, printJson } from './output.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'bring the database up to this version of Sluice',
  about: [
    'All missing steps run in one transaction; a database that is up to date is left alone. The service does',
    'the same when it starts, unless its role may not. With DATABASE_MIGRATION_URL the steps run as that role,',
    'and the role of DATABASE_URL gets the rights that the service needs.',
  ],
  examples: [
    'DATABASE_URL=postgres://sluice@db.example/sluice sluice migrate',
    'DATABASE_MIGRATION_URL=postgres://sluice_owner@db.example/sluice sluice migrate',
  ],
  async run(args) {
    const applied = await withServer((server) => server.migrate());
    if (args.json) printJson({ applied });
    else if (applied.length === 0) print('The database is up to date.');
    else print(`${plural(applied.length, 'migration')} applied: ${applied.join(', ')}`);
    return 0;
  },
};
