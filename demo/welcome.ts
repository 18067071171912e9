// What the demo says at its start: where everything is, and how to get in.
import type { Admin } from '../simulator/admin.ts';
import type { Channel } from '../simulator/world.ts';

interface User {
  id: number;
  email: string;
  role: string;
  is_active: boolean;
  last_sign_in_at: string | null;
}

/** The first account, until somebody has signed in with it and chosen a password. */
export async function signIn(admin: Admin): Promise<string> {
  const users = await admin.list<User>('/users');
  const first = users.find(({ role, is_active }) => role === 'admin' && is_active);
  if (!first) return 'nobody can; see npm run sluice -- user create';
  if (first.last_sign_in_at !== null) return `${first.email} with the password you chose`;
  const { password } = await admin.send<{ password: string }>(
    'POST',
    `/users/${first.id}/reset-password`,
    {},
  );
  return `${first.email} with the one-time password ${password}`;
}

interface Welcome {
  origin: string;
  token: string;
  data: string;
  signIn: string;
  channels: readonly Channel[];
  urlOf: (channel: number) => string;
}

export const welcome = ({ origin, token, data, signIn: words, channels, urlOf }: Welcome): string =>
  [
    'The demo is running.',
    `  console      ${origin}/console/`,
    `  sign in      ${words}`,
    `  channel API  ${origin}/api/v1`,
    `  docs         ${origin}/docs`,
    `  admin token  ${token}`,
    `  data         ${data} (the next start goes on with them; --reset starts anew)`,
    '',
    'Channels, with keys of this start and their product-information addresses:',
    ...channels.flatMap(({ name, api_key }, place) => [`  ${name}`, `    ${api_key}  ${urlOf(place)}`]),
    '',
    'To register in the console: LUNA1M is a new left and right set; TWIN1M has an error that stops it.',
    'Ctrl-C ends the demo.',
    '',
  ].join('\n');
