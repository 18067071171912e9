import type { Core } from '../../core/assembly/core.ts';
import type { Feature } from '../../core/assembly/feature.ts';
import type { OfferedImport } from '../../core/imports/offered.ts';

/** `all`: loads what core and the features offer. */
export const importsOf = (all: () => Promise<readonly OfferedImport<Core>[]>): Feature => ({
  name: 'imports',
  commands: {
    import: async () => (await import('./command.ts')).commandsOf(await all()),
  },
  async load() {
    const { registerImports } = await import('./operations.ts');
    const offered = await all();
    return { start: (core) => ({ operations: (admin) => registerImports(admin, core, offered) }) };
  },
});
