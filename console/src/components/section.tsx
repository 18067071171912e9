// A titled part of a page.
import { Group, Paper, Text, Title, type PaperProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionProps extends PaperProps {
  /** The id of the heading, which names the section. */
  id: string;
  title: string;
  text?: ReactNode;
  /** Shown beside the heading. */
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
