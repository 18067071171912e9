-- Search of orders by a part of a text. The index is written after the fact by the service, so that intake pays nothing for it.

-- The transaction that wrote a step: the search index reads the steps of transactions that it has not seen yet, and
-- so misses none that commits late. Null: written before this migration. BRIN, because rows are only ever appended.
alter table order_history add column xid bigint;
alter table order_history alter column xid set default pg_current_xact_id()::text::bigint;
create index order_history_by_xid on order_history using brin (xid) with (pages_per_range = 32, autosummarize = on);

-- One row per order, in lower case, one text per line: order number, SKUs and variant codes; after an empty line the
-- personal data: recipient, digits of the phone number, tracking number.
create table order_search (
  order_id  bigint primary key,
  content   text not null
);

-- The substrings by which orders are found: of three characters, and of two where one of them is not ASCII (a Korean
-- given name has two). Each is hashed together with the block of 16,384 orders, so that a search reads the newest block
-- first and stops when its page is full, and so that indexing touches only the keys of one block.
create function order_search_grams(block bigint, content text) returns int[]
language plpgsql immutable parallel safe as $$
declare
  grams int[] := '{}';
  block_text text := block::text;
  has_more_than_ascii boolean := octet_length(content) > char_length(content);
  gram text;
begin
  for place in 1 .. char_length(content) - 1 loop
    gram := substr(content, place, 3);
    if char_length(gram) = 3 and strpos(gram, chr(10)) = 0 then
      grams := grams || hashtext(block_text || gram);
    end if;
    if has_more_than_ascii then
      gram := substr(content, place, 2);
      if octet_length(gram) > 2 and strpos(gram, chr(10)) = 0 then
        grams := grams || hashtext(block_text || gram);
      end if;
    end if;
  end loop;
  return grams;
end
$$;
create index order_search_by_gram on order_search using gin (order_search_grams(order_id >> 14, content));
alter index order_search_by_gram alter column 1 set statistics 0;

-- How far the index has come. One process at a time advances it, and holds the row.
create table order_search_progress (
  only_row    boolean primary key default true check (only_row),
  place       text not null default '',       -- the database whose transaction ids these are
  seen_xid    bigint,                         -- everything below is indexed; null: not built yet
  seen_at     timestamptz,                    -- the index shows at least what had been committed then
  pass_xid    bigint,                         -- becomes seen_xid at the end of the current pass; null: no pass
  pass_at     timestamptz,                    -- becomes seen_at; null: the pass does not reach the present
  after_id    bigint not null default 0,      -- the current pass has indexed the orders up to this one
  last_id     bigint                          -- of a pass over a range of orders
);
insert into order_search_progress default values;
