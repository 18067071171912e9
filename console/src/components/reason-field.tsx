import { Textarea, type TextareaProps } from '@mantine/core';
import { REASON_CHARACTERS_MAX } from '../../../src/platform/values/text-limits.ts';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';

/** The reason for a change, stored with it. */
export function ReasonField({ isOptional = false, ...props }: TextareaProps & { isOptional?: boolean }) {
  const c = useWords(common);
  return (
    <Textarea
      label={isOptional ? `${c.reason} (${c.optional})` : c.reason}
      autosize
      minRows={1}
      maxLength={REASON_CHARACTERS_MAX}
      {...props}
    />
  );
}
