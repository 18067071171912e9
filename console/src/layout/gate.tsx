import { Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import './gate.css';
import './layout.css';
import { Logo } from './logo.tsx';
import { LanguageSwitch, SchemeSwitch } from './switches.tsx';

/** The frame of pages outside the console: sign-in, and the new password on the first visit. */
export function Gate({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <main className="gate">
      <title>{`${title} · Sluice`}</title>
      <div className="gate-tools">
        <LanguageSwitch />
        <SchemeSwitch />
      </div>
      <div className="shell-brand" style={{ marginBottom: 20, fontSize: '1.375rem' }}>
        <Logo size={36} />
        Sluice
      </div>
      <Paper className="gate-card" p="xl" shadow="sm">
        <Title order={1} size="h2">
          {title}
        </Title>
        <Text size="sm" c="dimmed" mt={4} mb="md">
          {text}
        </Text>
        {children}
      </Paper>
    </main>
  );
}
