-- The journal is trimmed by age, and a row proves that its transaction was committed. Dated with the start of the
-- transaction, the row of a long one was old when it was committed, and could be trimmed before it was looked up.
alter table change_journal alter column at set default clock_timestamp();
