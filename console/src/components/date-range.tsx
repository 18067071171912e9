import { DatePickerInput, DatesProvider } from '@mantine/dates';
import '@mantine/dates/styles.css';
import './date-range.css';
import 'dayjs/locale/ko';
import { useState } from 'react';
import { common } from '../i18n/common.ts';
import { useFormat } from '../i18n/format.ts';
import { useLanguage } from '../i18n/language.ts';
import { defineWords, useWords } from '../i18n/words.ts';
import { dayIn, presetsOf } from './days.ts';

const words = defineWords({
  en: {
    today: 'Today',
    yesterday: 'Yesterday',
    last7: 'Last 7 days',
    last30: 'Last 30 days',
    thisMonth: 'This month',
    lastMonth: 'Last month',
  },
  ko: {
    today: '오늘',
    yesterday: '어제',
    last7: '최근 7일',
    last30: '최근 30일',
    thisMonth: '이번 달',
    lastMonth: '지난달',
  },
});

interface DateRangeProps {
  /** Shown above the field. Without a label, the placeholder has to explain the dates. */
  label?: string;
  /** Shown while no date is chosen. */
  placeholder: string;
  from: string;
  to: string;
  onChange: (change: { from: string; to: string }) => void;
}

type Range = [string | null, string | null];

/** A range of days in the configured time zone; both days are included. */
export function DateRange({ label, placeholder, from, to, onChange }: DateRangeProps) {
  const w = useWords(words);
  const c = useWords(common);
  const lang = useLanguage();
  const { zone } = useFormat();
  const given: Range = [from === '' ? null : from, to === '' ? null : to];
  // While only the first day is chosen, the URL keeps the previous range.
  const [half, setHalf] = useState<Range | null>(null);
  const now = () => dayIn(zone, Date.now());
  const [today, setToday] = useState(now);
  return (
    <DatesProvider settings={{ locale: lang, firstDayOfWeek: lang === 'ko' ? 0 : 1 }}>
      <DatePickerInput
        type="range"
        className="date-range"
        {...(label === undefined ? {} : { label })}
        placeholder={placeholder}
        allowSingleDateInRange
        clearable
        clearButtonProps={{ 'aria-label': c.clear }}
        valueFormat={lang === 'ko' ? 'YYYY. M. D.' : 'D MMM YYYY'}
        presets={presetsOf(today).map(({ name, range }) => ({ value: range, label: w[name] }))}
        value={half ?? given}
        onChange={([first, last]) => {
          if (first !== null && last === null) {
            setHalf([first, null]);
            return;
          }
          setHalf(null);
          onChange({ from: first ?? '', to: last ?? '' });
        }}
        onFocus={() => setToday(now())}
        onDropdownClose={() => setHalf(null)}
      />
    </DatesProvider>
  );
}
