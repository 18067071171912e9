// Sign-in with an OpenID provider, if one is configured, and the reason if it was refused.
import { Alert, Button, Divider } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useWords } from '../../i18n/words.ts';
import { refusedWords, words } from './words.ts';

interface ProviderAnswer {
  data: { label: string } | null;
}

/** Not part of the documented API: read before sign-in. */
async function readLabel(): Promise<string | null> {
  const response = await fetch('/admin/v1/oidc');
  if (!response.ok) return null;
  const { data } = (await response.json()) as ProviderAnswer;
  return data?.label ?? null;
}

export function ProviderButton({ refused }: { refused: string | null }) {
  const w = useWords(words);
  const reasons = useWords(refusedWords);
  const [label, setLabel] = useState<string | null>(null);
  useEffect(() => {
    // Without an answer there is no button; sign-in by password still works.
    readLabel().then(setLabel, () => {});
  }, []);
  const why =
    refused === null ? undefined : (reasons[refused as keyof typeof reasons] ?? reasons.oidc_failed);
  return (
    <>
      {why !== undefined && (
        <Alert color="red" icon={<CircleAlert size={18} aria-hidden />} role="alert" p="sm">
          {why}
        </Alert>
      )}
      {label !== null && (
        <>
          <Divider label={w.or} />
          <Button component="a" href="/admin/v1/oidc/start" variant="default" fullWidth>
            {w.signInAt(label)}
          </Button>
        </>
      )}
    </>
  );
}
