// An import as the command line and the admin API offer it. Each room that imports files exports one.
import type { CliOption } from '../../platform/cli/command.ts';
import type { TProperties } from '../../platform/schema/json-schema.ts';
import type { Sealer } from '../../platform/secrets/keys.ts';
import type { Role } from '../../platform/values/roles.ts';
import type { Import } from './plan.ts';

/** Options of the command, or fields of the request with the same names. */
interface ImportOptions {
  text(name: string): string | null;
  flag(name: string): boolean;
}

type CliOptions = Readonly<Record<string, CliOption>>;

/** `sluice import <name>` */
interface ImportCommand {
  readonly summary: string;
  readonly about: readonly string[];
  readonly examples: readonly string[];
  /** Adds to the options of all imports. */
  readonly options?: (common: CliOptions) => CliOptions;
}

interface ImportOperation<Services> {
  readonly url: string;
  readonly tag: string;
  readonly role: Role;
  readonly summary: string;
  readonly columns: string;
  /** Fields of the request beside those of all imports. */
  readonly fields?: TProperties;
  /** Called before the answer, except of a dry run. */
  readonly written?: (services: Services) => Promise<void>;
}

export type OfferedImport<Services = unknown> = {
  readonly name: string;
  readonly command: ImportCommand;
  /** Absent: the admin API has operations of its own. */
  readonly operation?: ImportOperation<Services>;
} & (
  | { readonly make: (options: ImportOptions) => Import }
  /** Seals keys: the command opens the secret before it reads the file. */
  | { readonly makeWith: (sealer: Sealer) => Import }
);
