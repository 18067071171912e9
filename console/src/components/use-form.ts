import { useRef, useState, type ChangeEvent, type SyntheticEvent } from 'react';
import { ApiError } from '../api/error.ts';
import { useUnsavedWarning } from './unsaved.tsx';

type Errors<T> = Partial<Record<keyof T & string, string>>;

interface FormOptions<T> {
  /** The error of the save. Texts of a 422 are shown at their fields. */
  error?: unknown;
  /** Validation before anything is sent. */
  check?: (values: T) => Errors<T>;
  /** Warn before unsaved input is discarded. Default: true. */
  guard?: boolean;
}

export interface Form<T> {
  /** The values before the first change. */
  start: T;
  values: T;
  set: (change: Partial<T>) => void;
  isDirty: boolean;
  /** The names of the fields, for `<Problem error except={form.names} />`. */
  names: string[];
  error: (name: keyof T & string) => string | undefined;
  /** Props of a TextInput, Textarea, PasswordInput, NumberField. */
  text: (name: keyof T & string) => {
    name: string;
    value: string;
    error: string | undefined;
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
  };
  /** Props of a Select. */
  choice: (name: keyof T & string) => {
    name: string;
    value: string | null;
    error: string | undefined;
    onChange: (value: string | null) => void;
  };
  /** Props of a Switch or Checkbox. */
  flag: (name: keyof T & string) => {
    name: string;
    checked: boolean;
    onChange: (event: ChangeEvent<HTMLInputElement>) => void;
  };
  /**
   * `<form onSubmit={form.submit((values) => save.mutate(values))} noValidate>`. `changed`: only the fields that differ from
   * the start. What is sent without need undoes what another user has changed meanwhile.
   */
  submit: (
    send: (values: T, changed: Partial<T>) => void,
  ) => (event: SyntheticEvent<HTMLFormElement>) => void;
  /**
   * Call after a successful save: these values (or the sent ones) become the new start. Input typed during the save is
   * kept, with its warning.
   */
  saved: (values?: T) => void;
  /** Resets to the start values, or to other values. */
  reset: (values?: T) => void;
}

/** The state of a form: values, whether they changed, errors by field, and a warning before input is discarded. */
export function useForm<T extends object>(initial: T, options: FormOptions<T> = {}): Form<T> {
  const [start, setStart] = useState(initial);
  const [values, setValues] = useState(initial);
  const [faults, setFaults] = useState<Errors<T>>({});
  // Fields edited since the error of the server: its texts are about the earlier values.
  const [mended, setMended] = useState<{ of: unknown; names: string[] }>({ of: null, names: [] });
  const form = useRef<HTMLFormElement | null>(null);
  const sent = useRef<T | null>(null);

  const isDirty = JSON.stringify(values) !== JSON.stringify(start);
  const release = useUnsavedWarning(options.guard !== false && isDirty);

  const set = (change: Partial<T>) => {
    if (options.error) sent.current = null; // refused: the next save begins with these values
    setValues((now) => ({ ...now, ...change }));
    setFaults((now) => ({
      ...now,
      ...Object.fromEntries(Object.keys(change).map((name) => [name, undefined])),
    }));
    setMended((now) => ({
      of: options.error,
      names: [...(now.of === options.error ? now.names : []), ...Object.keys(change)],
    }));
  };
  const error = (name: keyof T & string): string | undefined => {
    const isMended = mended.of === options.error && mended.names.includes(name);
    const said = options.error instanceof ApiError && !isMended ? options.error.fields[name]?.[0] : undefined;
    return faults[name] ?? said;
  };
  const change = (name: string, value: unknown) => set({ [name]: value } as Partial<T>);
  const begin = (next: T) => {
    release();
    sent.current = null;
    setStart(next);
    setValues(next);
    setFaults({});
  };
  const typedSince = (then: T, now: T): Partial<T> =>
    Object.fromEntries(
      Object.entries(now).filter(([name, value]) => value !== then[name as keyof T]),
    ) as Partial<T>;
  const saved = (next?: T) => {
    const then = sent.current;
    if (then === null || Object.keys(typedSince(then, values)).length === 0) return begin(next ?? values);
    setStart(next ?? then);
    setValues((now) => ({ ...(next ?? then), ...typedSince(then, now) }));
  };

  return {
    start,
    values,
    set,
    isDirty,
    names: Object.keys(values),
    error,
    text: (name) => ({
      name,
      value: values[name] as string,
      error: error(name),
      onChange: (event) => change(name, event.currentTarget.value),
    }),
    choice: (name) => ({
      name,
      value: values[name] as string | null,
      error: error(name),
      onChange: (value) => change(name, value),
    }),
    flag: (name) => ({
      name,
      checked: values[name] as boolean,
      onChange: (event) => change(name, event.currentTarget.checked),
    }),
    submit: (send) => (event) => {
      event.preventDefault();
      event.stopPropagation(); // in React's tree a dialog's form is inside the form of the page
      form.current = event.currentTarget;
      const found = options.check?.(values) ?? {};
      setFaults(found);
      const wrong = Object.entries(found).find(([, text]) => text !== undefined)?.[0];
      if (wrong === undefined) {
        sent.current = values;
        send(values, typedSince(start, values));
      } else form.current.querySelector<HTMLElement>(`[name="${CSS.escape(wrong)}"]`)?.focus();
    },
    saved,
    reset: (next) => begin(next ?? start),
  };
}
