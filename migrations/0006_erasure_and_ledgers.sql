-- Set when the personal data of a final order was erased; its numbers stay.
alter table orders add column erased_at timestamptz;

-- What happened is written once. The service's own role has no right to change these tables where a second role owns
-- them; where one role owns everything, this stops a mistake, though not an owner who means it. Statement triggers on
-- changes alone: an insert does not meet them.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are written once: they are not changed and not deleted', tg_table_name
    using errcode = 'insufficient_privilege';
end
$$;

create trigger written_once before update or delete or truncate on audit
  for each statement execute function refuse_change();
create trigger written_once before update or delete or truncate on order_history
  for each statement execute function refuse_change();
create trigger written_once before update or delete or truncate on stock_movement
  for each statement execute function refuse_change();
create trigger written_once before update or delete or truncate on allocation_movement
  for each statement execute function refuse_change();
