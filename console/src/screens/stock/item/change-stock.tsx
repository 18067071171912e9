// Setting (compare-and-set) and adjusting the physical stock.
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { StockDetail } from '../../../api/types.ts';
import { Section } from '../../../components/index.ts';
import { useWords } from '../../../i18n/words.ts';
import { AdjustForm } from './adjust-form.tsx';
import { SetForm } from './set-form.tsx';
import { words } from './words.ts';

interface ChangeProps {
  item: StockDetail;
  /** Reloads the numbers. */
  look: () => Promise<unknown>;
}

export function ChangeStock(props: ChangeProps) {
  const w = useWords(words);
  const [mode, setMode] = useState('set');
  return (
    <Section id="change" title={w.changeTitle} className="stock-item-change">
      <SegmentedControl
        fullWidth
        size="xs"
        mb="sm"
        aria-label={w.mode}
        value={mode}
        onChange={setMode}
        data={[
          { value: 'set', label: w.setMode },
          { value: 'adjust', label: w.adjustMode },
        ]}
      />
      {/* Both forms stay mounted, so that input is kept when the user switches between them. */}
      <div hidden={mode !== 'set'}>
        <SetForm {...props} />
      </div>
      <div hidden={mode !== 'adjust'}>
        <AdjustForm item={props.item} />
      </div>
    </Section>
  );
}
