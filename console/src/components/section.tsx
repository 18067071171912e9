// A titled part of a page.
import { Group, Paper, Text, Title, type PaperProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionProps extends PaperProps {
  /** Of its heading, by which it is named. */
  id: string;
  title: string;
  text?: ReactNode;
  /** Beside the heading. */
  action?: ReactNode;
  children: ReactNode;
}

export const Section = ({ id, title, text, action, children, ...paper }: SectionProps) => (
  <Paper component="section" aria-labelledby={id} {...paper}>
    <Group justify="space-between" align="flex-start" mb="sm">
      <div>
        <Title order={2} id={id}>
          {title}
        </Title>
        {text !== undefined && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
      </div>
      {action}
    </Group>
    {children}
  </Paper>
);
