// Contract 5.2a: credentials are checked again when the command is decided, because a command can wait for seconds: in
// the queue, for the database, or for a locked row.
import type { SigningMode } from './signature.ts';

/** The credentials that a channel's request was accepted with. */
export interface Sender {
  /** `channel.key_version` of its API key. */
  key_version: number;
  /** The signing secret that verified the signature, or UNSIGNED. */
  secret_id: number;
}

/** Ids of signing secrets start at 1. */
export const UNSIGNED = 0;

/** The credentials that an active channel accepts now. */
export interface AcceptedCredentials {
  /** Keys with a lower number are refused. */
  oldest_key_version: number;
  signing_mode: SigningMode;
  /** Loaded only if a command was signed. */
  secret_ids: ReadonlySet<number>;
}

export type SenderRefusal =
  | { kind: 'channel_inactive' }
  | { kind: 'key_revoked' }
  | { kind: 'signature_missing' }
  | { kind: 'signature_invalid' };

/** null: still accepted. `accepted` is undefined for an inactive channel. */
export function senderRefusal(
  sender: Sender,
  accepted: AcceptedCredentials | undefined,
): SenderRefusal | null {
  if (!accepted) return { kind: 'channel_inactive' };
  if (sender.key_version < accepted.oldest_key_version) return { kind: 'key_revoked' };
  const { signing_mode, secret_ids } = accepted;
  if (signing_mode === 'off') return null;
  if (sender.secret_id !== UNSIGNED)
    return secret_ids.has(sender.secret_id) ? null : { kind: 'signature_invalid' };
  return signing_mode === 'required' ? { kind: 'signature_missing' } : null;
}
