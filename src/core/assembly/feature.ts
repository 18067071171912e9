// A feature: one folder, and one line in start/features.ts. Without both, everything else works.
import type { FastifyInstance } from 'fastify';
import type { RefusalTable } from '../../platform/admin-api/refused.ts';
import type { CliCommand } from '../../platform/cli/command.ts';
import type { SealedColumns } from '../../platform/secrets/sealed-column.ts';
import type { OfferedImport } from '../imports/offered.ts';
import type { Core, CoreJob } from './core.ts';
import type { BackgroundPart } from './background-part.ts';

export interface Feature {
  readonly name: string;
  /** Features whose files this one imports. */
  readonly needs?: readonly string[];
  /** Commands by their first word. A command loads only its own files. */
  readonly commands?: Readonly<Record<string, () => Promise<readonly CliCommand[]>>>;
  readonly seals?: SealedColumns;
  /** Its own refusals of the back office. */
  readonly refusals?: () => Promise<RefusalTable>;
  /** Imports of files, on the command line and in the admin API. */
  readonly imports?: () => Promise<readonly OfferedImport<Core>[]>;
  /** What the feature does in the service. Commands do not load it. */
  readonly load?: () => Promise<{
    /** `brought`: what features bring for each other, complete when all have started. */
    readonly start: (core: Core, brought: () => readonly object[]) => FeatureService;
  }>;
}

export interface FeatureService extends BackgroundPart {
  /** For features that this one needs: instances of their classes, by which they find what is theirs. */
  readonly brings?: readonly object[];
  /** Adds operations of the admin API. */
  readonly operations?: (admin: FastifyInstance) => void;
  /** Adds operations of the channel API. */
  readonly channelOperations?: (channel: FastifyInstance) => void;
  /** Adds pages for people. */
  readonly pages?: (app: FastifyInstance) => void;
  readonly jobs?: readonly CoreJob[];
}
