import { Paper, Text, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';

interface PanelProps {
  title: string;
  text?: string;
  /** Shown beside the title. */
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A titled panel of the overview. */
export function Panel({ title, text, aside, className, children }: PanelProps) {
  const id = useId();
  return (
    <Paper component="section" aria-labelledby={id} {...(className === undefined ? {} : { className })}>
      <div className="overview-panel-head">
        <Title order={2} id={id} fz="md">
          {title}
        </Title>
        {aside}
      </div>
      {text !== undefined && (
        <Text size="xs" c="dimmed" mb="sm">
          {text}
        </Text>
      )}
      {children}
    </Paper>
  );
}
