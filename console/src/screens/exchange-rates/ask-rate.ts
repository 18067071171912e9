// A rate that differs much from the one in effect is confirmed before it is used.
import { confirm } from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

/** true: the rate is right. */
export function useAskRate(): (currency: string, inForce: string, rate: string) => Promise<boolean> {
  const w = useWords(words);
  const format = useFormat();
  const lang = useLanguage();
  return (currency, inForce, rate) => {
    const percent = new Intl.NumberFormat(lang, {
      style: 'percent',
      maximumFractionDigits: 1,
      signDisplay: 'exceptZero',
    });
    const [before, now] = [format.decimal(inForce), format.decimal(rate)];
    const change = percent.format(Number(rate) / Number(inForce) - 1);
    return confirm({
      title: w.farTitle,
      text: w.farText(currency, before, now, change),
      confirm: w.farConfirm(now),
      danger: true,
    });
  };
}
