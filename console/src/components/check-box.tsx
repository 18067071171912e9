import './check-box.css';

interface CheckBoxProps {
  label: string;
  checked: boolean;
  /** Some of what it stands for is checked. */
  isSome?: boolean;
  onChange: (isRange: boolean) => void;
}

/** One element, for tables of thousands of rows: Mantine's is made of eight. It looks the same. */
export function CheckBox({ label, checked, isSome = false, onChange }: CheckBoxProps) {
  return (
    <input
      type="checkbox"
      className="check-box"
      aria-label={label}
      checked={checked}
      ref={(box) => {
        if (box) box.indeterminate = isSome;
      }}
      onChange={({ nativeEvent }) => onChange('shiftKey' in nativeEvent && nativeEvent.shiftKey === true)}
    />
  );
}
