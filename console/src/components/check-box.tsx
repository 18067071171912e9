import './check-box.css';

interface CheckBoxProps {
  label: string;
  checked: boolean;
  /** Indeterminate: some, but not all, are checked. */
  isSome?: boolean;
  onChange: (isRange: boolean) => void;
}

/** A single element, for tables with thousands of rows: Mantine's checkbox has eight. It looks the same. */
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
