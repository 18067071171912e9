-- A rotated key may go on working for a while beside the new one; how long, and when each was last used.
alter table channel
  add column previous_key_hash          bytea unique,
  add column previous_key_valid_until   timestamptz,
  add column key_last_used_at           timestamptz,   -- to the minute
  add column previous_key_last_used_at  timestamptz,
  -- Names the secret that key_sealed was sealed with; null: sealed before secrets had names.
  add column sealed_with                text collate "C",
  add constraint channel_previous_key check ((previous_key_hash is null) = (previous_key_valid_until is null));
