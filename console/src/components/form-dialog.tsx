import { Stack, type ModalProps } from '@mantine/core';
import type { FormEventHandler } from 'react';
import { Dialog } from './dialog.tsx';
import { DialogButtons } from './dialog-buttons.tsx';

interface FormDialogProps extends Omit<ModalProps, 'opened' | 'onSubmit'> {
  form: { isDirty: boolean };
  /** `form.submit((values) => save.mutate(values))`. */
  onSubmit: FormEventHandler<HTMLFormElement>;
  /** Label of the submit button ("Save", "Create"). */
  submit: string;
  isSending: boolean;
}

/** A dialog with one form: its fields, then Cancel and the submit button. */
export function FormDialog({
  form,
  onSubmit,
  submit,
  isSending,
  onClose,
  children,
  ...props
}: FormDialogProps) {
  return (
    <Dialog isDirty={form.isDirty} onClose={onClose} {...props}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="sm">
          {children}
          <DialogButtons submit={submit} isSending={isSending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
