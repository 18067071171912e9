-- Limits by channel (contract 10.24). Null: no limit.
alter table channel
  add column line_quantity_max int constraint channel_line_quantity_max check (line_quantity_max >= 1),
  add column unpaid_quantity_max int constraint channel_unpaid_quantity_max check (unpaid_quantity_max >= 0),
  add column unpaid_percent_max int constraint channel_unpaid_percent_max check (unpaid_percent_max between 0 and 100),
  add column backordered_quantity_max int constraint channel_backordered_quantity_max check (backordered_quantity_max >= 0);
