-- Contract 5.2a: whether an order's or report's key is still accepted is judged again inside the transaction of the change.
-- Each rotation gives the new key the next number. The previous key, while it is accepted, has the number before.
alter table channel add column key_version int not null default 1;
