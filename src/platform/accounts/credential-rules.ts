// The credential of a request, as it is checked again when its change is made.

/** A token or session. */
export interface Credential {
  of: 'token' | 'session';
  /** The token's id, or the hash of the session's id in base64. */
  id: string;
  /** The role when the request arrived. */
  role: string;
}

export const credentialKey = ({ of, id }: Pick<Credential, 'of' | 'id'>): string => `${of}:${id}`;

/** `roles`: the role of each valid credential, by `credentialKey`. */
export const isCredentialValid = (credential: Credential, roles: ReadonlyMap<string, string>): boolean =>
  roles.get(credentialKey(credential)) === credential.role;
