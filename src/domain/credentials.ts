// Contract 5.2a: the key, signature, token or session behind a command is judged again when the command is decided. Between
// its arrival and that moment a command can wait for seconds: in the queue, for the database, for a held row.
import type { Outcome } from './commands.ts';
import type { SigningMode } from './signature.ts';

/** What a channel's request was accepted with. */
export interface Sender {
  /** `channel.key_version` of its API key. */
  key_version: number;
  /** The signing secret that its signature was checked against; UNSIGNED: none. */
  secret_id: number;
}

/** Ids of signing secrets start at 1. */
export const UNSIGNED = 0;

/** What an active channel accepts at this moment. */
export interface Accepted {
  /** Keys with a lower number are refused. */
  oldest_key_version: number;
  signing_mode: SigningMode;
  /** Read only where a command was signed. */
  secret_ids: ReadonlySet<number>;
}

/** null: the sender is still accepted. `accepted` undefined: the channel is inactive. */
export function objectionTo(sender: Sender, accepted: Accepted | undefined): Outcome | null {
  if (!accepted) return { kind: 'channel_inactive' };
  if (sender.key_version < accepted.oldest_key_version) return { kind: 'key_revoked' };
  const { signing_mode, secret_ids } = accepted;
  if (signing_mode === 'off') return null;
  if (sender.secret_id !== UNSIGNED)
    return secret_ids.has(sender.secret_id) ? null : { kind: 'signature_invalid' };
  return signing_mode === 'required' ? { kind: 'signature_missing' } : null;
}

/** What a report of the back office acts on. */
export interface Credential {
  of: 'token' | 'session';
  /** Of a token: its id. Of a session: the hash of its id, in base64. */
  id: string;
  /** The role that was judged when the request arrived. */
  role: string;
}

export const credentialKey = ({ of, id }: Pick<Credential, 'of' | 'id'>): string => `${of}:${id}`;

/** `roles`: of the credentials that are valid, by `credentialKey`. */
export const isValid = (credential: Credential, roles: ReadonlyMap<string, string>): boolean =>
  roles.get(credentialKey(credential)) === credential.role;
