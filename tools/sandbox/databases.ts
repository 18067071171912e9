// The databases of the sandbox on its embedded server: `sluice`, which is served, and the initial state, which
// a reset copies. A copy is created under another name and then renamed. A marker file says that the served
// database is complete: if a reset was killed, the next start repeats it.
import { access, open, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { SERVICE_ROLE } from '../../src/platform/embedded-postgres/roles.ts';
import type { EmbeddedServer } from '../../src/platform/embedded-postgres/server.ts';
import { migrate } from '../../src/platform/database/migrations.ts';

const OWNER_ROLE = 'sluice_owner';
const SERVED = 'sluice';
const BUILDING = 'sandbox_building';
const INITIAL_PREFIX = 'sandbox_initial_';

export type Prepare = (url: string) => Promise<void>;

export class Databases {
  readonly #server: EmbeddedServer;
  readonly #dataDir: string;
  readonly #initial: string;

  /** `version`: a hash of everything on which the initial state depends. */
  constructor(server: EmbeddedServer, dataDir: string, version: string) {
    this.#server = server;
    this.#dataDir = dataDir;
    this.#initial = INITIAL_PREFIX + version;
  }

  /** The URL of the served database. */
  get url(): string {
    return this.#server.url;
  }

  /** Creates the initial state unless this version already has one; `prepare` gets a migrated database. */
  async ensureInitial(prepare: Prepare): Promise<void> {
    const present = await this.#query(
      `select datname from pg_database where datname like 'sandbox\\_initial\\_%'`,
    );
    const names = present.map(({ datname }) => String(datname));
    for (const name of names.filter((one) => one !== this.#initial)) await this.#drop(name);
    if (names.includes(this.#initial)) return;
    await this.#build(null, async () => {
      await migrate(this.#at(this.#server.ownerUrl, BUILDING), SERVICE_ROLE);
      await prepare(this.#at(this.#server.url, BUILDING));
    });
    await this.#rename(BUILDING, this.#initial);
  }

  /**
   * True if the served database is complete and has this version or was migrated to it. False: it must be reset
   * first.
   */
  async isWhole(): Promise<boolean> {
    const isThere = await access(this.#mark).then(
      () => true,
      () => false,
    );
    if (isThere) await migrate(this.#server.ownerUrl, SERVICE_ROLE);
    return isThere;
  }

  /** After this, the database counts as incomplete until a reset has finished. */
  async beginReset(): Promise<void> {
    await unlink(this.#mark).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await this.#sync();
    await this.#build(this.#initial, () => this.#forgetTokens());
  }

  /** There must be no connections to the database that is replaced. */
  async endReset(): Promise<void> {
    await this.#drop(SERVED);
    await this.#rename(BUILDING, SERVED);
    await writeFile(this.#mark, '', { flush: true });
    await this.#sync();
  }

  get #mark(): string {
    return join(this.#dataDir, 'sandbox-whole');
  }

  /** Creating or removing the marker survives a power failure only after an fsync of its directory. */
  async #sync(): Promise<void> {
    const directory = await open(this.#dataDir);
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  }

  async #build(from: string | null, prepare: () => Promise<unknown>): Promise<void> {
    await this.#drop(BUILDING);
    const copied = from === null ? '' : ` template ${from}`;
    await this.#query(`create database ${BUILDING} owner ${OWNER_ROLE}${copied}`);
    await this.#query(`revoke all on database ${BUILDING} from public`);
    await this.#query(`grant connect on database ${BUILDING} to ${SERVICE_ROLE}`);
    await prepare();
  }

  /**
   * Makes stored data older by this many seconds, as if the clock had advanced: later exchange rates take
   * effect, and orders reach their expiry.
   */
  async age(seconds: number): Promise<void> {
    const aged = `interval '1 second' * ${Math.trunc(seconds)}`;
    await this.#query(
      `update orders set created_at = created_at - ${aged};
       update exchange_rate set effective_at = effective_at - ${aged}, created_at = created_at - ${aged}`,
      SERVED,
    );
  }

  /** Transaction ids continue after a reset, so earlier readers of the journal must start over. */
  #forgetTokens(): Promise<unknown> {
    const forget = `with gone as (delete from change_journal) update journal_trim set xid = pg_current_xact_id()`;
    return this.#query(forget, BUILDING);
  }

  #drop(name: string): Promise<unknown> {
    return this.#query(`drop database if exists ${name} with (force)`);
  }

  #rename(from: string, to: string): Promise<unknown> {
    return this.#query(`alter database ${from} rename to ${to}`);
  }

  #at(base: string, name: string): string {
    const url = new URL(base);
    url.pathname = `/${name}`;
    return url.href;
  }

  async #query(sql: string, name = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.#at(this.#server.adminUrl, name) });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }
}
