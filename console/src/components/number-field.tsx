import { TextInput, type TextInputProps } from '@mantine/core';
import { useFormat } from '../i18n/format.ts';
import { defineWords, useWords } from '../i18n/words.ts';
import { QUANTITY_MAX, wholeNumber } from './whole-number.ts';

const words = defineWords({
  en: {
    between: (min: string, max: string) => `Enter a whole number from ${min} to ${max}, in digits only.`,
    from: (min: string) => `Enter a whole number from ${min}, in digits only.`,
    any: 'Enter a whole number, in digits only, with − in front to subtract.',
  },
  ko: {
    between: (min: string, max: string) => `${min}부터 ${max}까지의 정수를 숫자로만 입력하세요.`,
    from: (min: string) => `${min} 이상의 정수를 숫자로만 입력하세요.`,
    any: '정수를 숫자로만 입력하세요. 뺄 때는 앞에 −를 붙입니다.',
  },
});

export interface Limits {
  min?: number;
  max?: number;
}

/** The message for invalid text; undefined if the text is valid or empty. */
export function useNumberFault(): (text: string, limits?: Limits) => string | undefined {
  const w = useWords(words);
  const format = useFormat();
  return (text, { min = 0, max = QUANTITY_MAX } = {}) => {
    if (text.trim() === '' || wholeNumber(text, min, max) !== null) return undefined;
    if (min < 0) return w.any;
    return max === QUANTITY_MAX
      ? w.from(format.integer(min))
      : w.between(format.integer(min), format.integer(max));
  };
}

type NumberFieldProps = Omit<TextInputProps, 'value' | 'type'> & Limits & { value: string };

/**
 * A whole number, kept as the typed text. Invalid text is refused with a message and never rewritten;
 * `wholeNumber(text)` reads the value. Use this field for every number in the console.
 */
export function NumberField({ min, max, value, error, ...props }: NumberFieldProps) {
  const faultOf = useNumberFault();
  const limits = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  const fault = faultOf(value, limits);
  return (
    <TextInput
      inputMode={min !== undefined && min < 0 ? 'text' : 'numeric'}
      autoComplete="off"
      classNames={{ input: 'num' }}
      value={value}
      error={fault ?? error}
      {...props}
    />
  );
}
