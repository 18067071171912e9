-- Decision 36: orders that stay unpaid for so long are cancelled by the service. Null: never.
alter table channel
  add column prepayment_expiry_minutes int,
  add constraint channel_prepayment_expiry check (prepayment_expiry_minutes > 0);
