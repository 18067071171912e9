// Components shared by the screens.
export * from './alert-groups.ts';
export { ActorName } from './actor.tsx';
export { confirm } from './confirm.tsx';
export { DataTable } from './data-table.tsx';
export type { Column } from './data-table-columns.ts';
export { Dialog } from './dialog.tsx';
export { DialogButtons } from './dialog-buttons.tsx';
export { FormDialog } from './form-dialog.tsx';
export { AddButton, DownloadButton, ItemLink, LinkButton, OrderLink, TrackingNumber } from './links.tsx';
export { ListPage } from './list-page.tsx';
export { NumberField, useNumberFault } from './number-field.tsx';
export { Page } from './page.tsx';
export { PasswordField } from './password-field.tsx';
export { ReasonField } from './reason-field.tsx';
export { SearchInput } from './search-input.tsx';
export { CopyButton, OnceDialog, Secret, SecretDialog } from './secret.tsx';
export { Section } from './section.tsx';
export { EmptyState, ErrorState, Loading, NoMatch, Problem, Reading } from './states.tsx';
export { FileChoice, useTextFile, type TextFile } from './text-file.tsx';
export { toastGood, toastUndo } from './toast.tsx';
export { useUnsavedWarning } from './unsaved.tsx';
export { useForm, type Form } from './use-form.ts';
export { useNarrow } from './use-narrow.ts';
export { usePathCode } from './use-path-code.ts';
export { useUrlState } from './use-url-state.ts';
export { QUANTITY_MAX, wholeNumber } from './whole-number.ts';
export {
  ActiveBadge,
  Count,
  isOrderStatus,
  Money,
  ORDER_STATUSES,
  ROLES,
  StatusBadge,
  Tag,
  Time,
  useRoleName,
  useStatusName,
} from './values.tsx';
