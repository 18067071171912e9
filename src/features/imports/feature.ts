import type { Core } from '../../core/assembly/core.ts';
import type { Feature } from '../../core/assembly/feature.ts';
import type { OfferedImport } from '../../core/imports/offered.ts';

/** Offers the imports of core and of all features. */
export function importsOf(features: () => readonly Feature[]): Feature {
  const all = async (): Promise<readonly OfferedImport<Core>[]> => {
    const { CORE_IMPORTS } = await import('../../core/assembly/imports.ts');
    const others = await Promise.all(features().map(async ({ imports }) => (await imports?.()) ?? []));
    return [...CORE_IMPORTS, ...others.flat()];
  };
  return {
    name: 'imports',
    commands: {
      import: async () => (await import('./command.ts')).commandsOf(await all()),
    },
    async load() {
      const { registerImports } = await import('./operations.ts');
      const offered = await all();
      return { start: (core) => ({ operations: (admin) => registerImports(admin, core, offered) }) };
    },
  };
}
