-- Where a courier shows a parcel: an address with {tracking_number} in it. null: there is no link.
alter table common_code add column tracking_url text check (tracking_url ~ '^https?://');
