// sluice migrate: migrates the database to this version.
import type { CliCommand } from '../platform/cli/command.ts';
import { withServer } from '../platform/command-database/database.ts';
import { plural, print, printJson } from '../platform/cli/output.ts';

export const migrateCommand: CliCommand = {
  name: 'migrate',
  summary: 'migrate the database to this version of Sluice',
  about: [
    'All missing migrations run in one transaction; a database that is up to date is not changed. The service does',
    'the same at its start, if its role may. With DATABASE_MIGRATION_URL the migrations run as that role,',
    'and the role of DATABASE_URL gets the privileges that the service needs.',
  ],
  examples: [
    'DATABASE_URL=postgres://sluice@db.example/sluice sluice migrate',
    'DATABASE_URL=postgres://sluice@db.example/sluice DATABASE_MIGRATION_URL=postgres://sluice_owner@db.example/sluice sluice migrate',
  ],
  async run(args) {
    const applied = await withServer((server) => server.migrate(), { creates: true, asOwner: true });
    if (args.json) printJson({ applied });
    else if (applied.length === 0) print('The database is up to date.');
    else print(`${plural(applied.length, 'migration')} applied: ${applied.join(', ')}`);
    return 0;
  },
};
