-- Decision 31: an order keeps the product code and name that it was taken with. A text per order line would be felt on the
-- hot path, so names have versions: a line holds the number of the version that was current at its intake.
create sequence product_version_id_seq as int;

create table product_version (
  id          int primary key,
  product_id  int not null,
  code        text collate "C" not null,
  name        text not null,
  at          timestamptz not null default now(),
  constraint product_version_of_product unique (product_id, id)
);

alter table product add column version_id int not null default nextval('product_version_id_seq');
insert into product_version (id, product_id, code, name) select version_id, id, code, name from product;

-- Triggers, so that nothing that writes a product can forget the version. The version of a new product is inserted after the
-- row is known to be in: ON CONFLICT DO NOTHING inserts none. A version that is there already (a restore) is left alone.
create function product_next_version() returns trigger language plpgsql as $$
begin
  new.version_id := nextval('product_version_id_seq');
  return new;
end
$$;
-- As the owner: the service's own role has no right to write versions in any other way.
create function product_keep_version() returns trigger language plpgsql security definer set search_path from current as $$
begin
  insert into product_version (id, product_id, code, name) values (new.version_id, new.id, new.code, new.name)
    on conflict (id) do nothing;
  return null;
end
$$;
create trigger next_version before update on product for each row
  when (old.code <> new.code or old.name <> new.name) execute function product_next_version();
create trigger keep_new_version after insert on product for each row execute function product_keep_version();
create trigger keep_changed_version after update on product for each row
  when (old.version_id <> new.version_id) execute function product_keep_version();

-- Checked at COMMIT, because the product's row is written before the version.
alter table product add constraint product_current_version
  foreign key (id, version_id) references product_version (product_id, id) deferrable initially deferred;

create trigger written_once before update or delete or truncate on product_version
  for each statement execute function refuse_change();

-- Null: an order from before this migration, or one taken by a process of the version before it. It has the product's first
-- version, which holds the names of this moment. No row of a large table is rewritten for that.
alter table order_item add column product_version_id int;

-- Decision 33: what the order numbers of a channel must begin with; null: anything.
alter table channel
  add column order_number_prefix text collate "C",
  add constraint channel_order_number_prefix check (order_number_prefix <> '');
