import { ActionIcon, Badge, Tooltip } from '@mantine/core';
import { Ban, KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useList, useSend } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { del } from '../../api/request.ts';
import type { Token, TokenWithSecret } from '../../api/types.ts';
import {
  ActorName,
  AddButton,
  confirm,
  ListPage,
  SecretDialog,
  Time,
  useRoleName,
  type Column,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { TokenDialog } from './dialogs.tsx';
import { words } from './words.ts';

const EXPIRES_SOON_MS = 14 * 24 * 60 * 60 * 1000;
const COLORS = { live: 'water', soon: 'orange', expired: 'gray', revoked: 'gray' };

function stateOf({ revoked_at, expires_at }: Token): keyof typeof COLORS {
  if (revoked_at !== null) return 'revoked';
  const left = expires_at === null ? Infinity : Date.parse(expires_at) - Date.now();
  if (left <= 0) return 'expired';
  return left < EXPIRES_SOON_MS ? 'soon' : 'live';
}

export default function Tokens() {
  const w = useWords(words);
  const c = useWords(common);
  const roleName = useRoleName();
  const tokens = useList('/tokens');
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<TokenWithSecret | null>(null);
  const revoke = useSend(({ id }: Token) => del(apiPath('/tokens/{id}', { id })), {
    refresh: ['/tokens'],
    done: (_, { name }) => w.revokedDone(name),
  });
  const askAndRevoke = async (token: Token) => {
    const question = {
      title: w.revokeTitle(token.name),
      text: w.revokeText,
      confirm: w.revoke,
      danger: true,
    };
    if (await confirm(question)) revoke.mutate(token);
  };
  const addButton = <AddButton label={w.add} onClick={() => setAdding(true)} />;

  const columns: Column<Token>[] = [
    { key: 'name', header: c.name, primary: true, cell: ({ name }) => name },
    { key: 'role', header: c.role, cell: ({ role }) => roleName(role) },
    {
      key: 'state',
      header: c.state,
      cell: (token) => {
        const state = stateOf(token);
        return <Badge color={COLORS[state]}>{w[state]}</Badge>;
      },
    },
    { key: 'expires', header: w.expires, cell: (token) => <Time at={token.expires_at} /> },
    { key: 'used', header: w.lastUsed, cell: (token) => <Time at={token.last_used_at} relative /> },
    { key: 'created', header: c.created, cell: (token) => <Time at={token.created_at} /> },
    { key: 'by', header: w.createdBy, cell: ({ created_by }) => <ActorName actor={created_by} /> },
    {
      key: 'actions',
      header: w.revoke,
      quiet: true,
      align: 'right',
      width: 60,
      cell: (token) =>
        token.revoked_at === null && (
          <Tooltip label={w.revokeOf(token.name)}>
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={w.revokeOf(token.name)}
              onClick={() => void askAndRevoke(token)}
            >
              <Ban size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        ),
    },
  ];
  return (
    <ListPage
      title={w.title}
      description={w.description}
      add={addButton}
      columns={columns}
      rowKey={({ id }) => id}
      list={tokens}
      empty={{
        icon: KeyRound,
        title: w.empty,
        text: w.emptyText,
      }}
    >
      {isAdding && <TokenDialog onClose={() => setAdding(false)} onMade={setMade} />}
      {made !== null && (
        <SecretDialog
          title={w.madeTitle(made.name)}
          text={w.usage}
          label={w.token}
          value={made.token}
          done={c.done}
          onClose={() => setMade(null)}
        />
      )}
    </ListPage>
  );
}
