// The demo's message at start: addresses and credentials.
import type { Admin } from '../../verify/kit/admin.ts';
import type { Channel } from '../simulator/world.ts';

interface User {
  id: number;
  email: string;
  role: string;
  is_active: boolean;
  last_sign_in_at: string | null;
}

/**
 * The credentials of the first account. It gets a new one-time password at each start until it has signed in once.
 */
export async function signIn(admin: Admin): Promise<string[]> {
  const users = await admin.list<User>('/users');
  const first = users.find(({ role, is_active }) => role === 'admin' && is_active);
  if (!first) return ['  sign in      with one of your accounts'];
  const email = `  e-mail       ${first.email}`;
  if (first.last_sign_in_at !== null) return [email, '  password     the one you chose'];
  const { password } = await admin.send<{ password: string }>(
    'POST',
    `/users/${first.id}/reset-password`,
    {},
  );
  return [
    email,
    `  password     ${password}`,
    '               (for one sign-in; the console then asks for a new one)',
  ];
}

interface Welcome {
  origin: string;
  token: string;
  data: string;
  sign_in: readonly string[];
  channels: readonly Channel[];
  urlOf: (channel: number) => string;
}

export const welcome = ({ origin, token, data, sign_in, channels, urlOf }: Welcome): string =>
  [
    'The demo is running.',
    `  console      ${origin}/console/`,
    ...sign_in,
    `  channel API  ${origin}/api/v1`,
    `  docs         ${origin}/docs`,
    `  data         ${data} (kept for the next start; --reset starts from scratch)`,
    '',
    'Channels, with keys of this start and the addresses of their product information:',
    ...channels.flatMap(({ id, name, api_key }, place) => [
      `  channel ${id}  ${api_key}  ${name}`,
      `             ${urlOf(place)}`,
    ]),
    '',
    'To register in the console: LUNA1M is a new left and right set; TWIN1M has an error that stops it.',
    `Ctrl-C stops the demo. Administrator token: ${token}`,
    '',
  ].join('\n');
