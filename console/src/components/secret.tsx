import {
  ActionIcon,
  Alert,
  Button,
  Code,
  CopyButton as MantineCopy,
  Group,
  Modal,
  Stack,
  Text,
  Tooltip,
} from '@mantine/core';
import { Check, Copy, KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';

/** Copies a text and confirms it visibly and to screen readers. `label` names the copied thing. */
export function CopyButton({
  text,
  label,
  compact = true,
}: {
  text: string;
  label?: string;
  compact?: boolean;
}) {
  const w = useWords(common);
  const name = label ?? w.copy;
  return (
    <MantineCopy value={text} timeout={1_500}>
      {({ copied, copy }) => {
        const Icon = copied ? Check : Copy;
        return (
          <>
            {compact ? (
              <Tooltip label={copied ? w.copied : name}>
                <ActionIcon variant="subtle" aria-label={name} onClick={copy}>
                  <Icon size={16} aria-hidden />
                </ActionIcon>
              </Tooltip>
            ) : (
              <Button variant="default" leftSection={<Icon size={16} aria-hidden />} onClick={copy}>
                {copied ? w.copied : name}
              </Button>
            )}
            <span className="only-read" role="status">
              {copied ? w.copied : ''}
            </span>
          </>
        );
      }}
    </MantineCopy>
  );
}

/** A key or password that is shown once, with a button to copy it. */
export function Secret({ label, value }: { label: string; value: string }) {
  const w = useWords(common);
  return (
    <Alert color="water" icon={<KeyRound size={18} aria-hidden />} title={label}>
      <Group gap="xs" wrap="nowrap" align="center">
        <Code className="mono" fz="sm" p="xs" data-secret>
          {value}
        </Code>
        <CopyButton text={value} label={`${w.copy}: ${label}`} />
      </Group>
      <div style={{ marginTop: 8 }}>{w.shownOnce}</div>
    </Alert>
  );
}

interface OnceDialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog for values that are shown only once: Esc does not close it. */
export function OnceDialog(props: OnceDialogProps) {
  const w = useWords(common);
  return (
    <Modal opened size="lg" closeOnEscape={false} closeButtonProps={{ 'aria-label': w.close }} {...props} />
  );
}

interface SecretDialogProps extends Omit<OnceDialogProps, 'children'> {
  /** Explains what the value is for. */
  text: string;
  label: string;
  value: string;
  done: string;
}

/** Shows a new key or password, once. */
export function SecretDialog({ text, label, value, done, ...props }: SecretDialogProps) {
  return (
    <OnceDialog {...props}>
      <Stack>
        <Text size="sm">{text}</Text>
        <Secret label={label} value={value} />
        <Group justify="flex-end">
          <Button onClick={props.onClose}>{done}</Button>
        </Group>
      </Stack>
    </OnceDialog>
  );
}
