insert into "account" ("id", "email", "name", "role", "password_hash", "must_change_password", "is_active", "created_at", "last_sign_in_at", "second_factor_required", "has_password") overriding system value values ('1', 'admin@localhost', NULL, 'admin', 'scrypt$16$8$1$FdqMkYPEY8n7Kl235gzb9Q==$BJ/ujoae2Yn0Zb6RfROPPb7n/x2vqTdneIWixKkTiDA=', 'true', 'true', '2026-11-19 01:42:58.228156+00', NULL, 'false', 'true');
insert into "account" ("id", "email", "name", "role", "password_hash", "must_change_password", "is_active", "created_at", "last_sign_in_at", "second_factor_required", "has_password") overriding system value values ('2', 'operator@example.com', 'Operator', 'operator', 'scrypt$16$8$1$uDEEcwKHWOuXCyCQuyuFBw==$SeEyXa5y6STYXspwM5sqHHsHQ5bb+DLu++kjrF/O0KI=', 'false', 'true', '2026-11-19 01:43:01.559318+00', '2026-11-19 01:43:02.551974+00', 'false', 'true');
insert into "admin_token" ("id", "name", "role", "token_hash", "created_at", "revoked_at", "last_used_at", "expires_at", "created_by") overriding system value values ('1', 'a program', 'viewer', E'\\xf2e1600e87a053049e7f62a5d8f73b6d6e1c4f570e246b83fe533003e1dbb32c', '2026-11-19 01:43:01.680028+00', NULL, NULL, NULL, 'environment');
insert into "alert" ("id", "kind", "subject", "details", "opened_at", "closed_at", "opening_mailed", "closing_mailed") overriding system value values ('1', 'rate_missing', 'currency:JPY', '{"channel_ids": [2], "currency_code": "JPY"}', '2026-11-19 01:42:59.397883+00', NULL, 'false', 'false');
insert into "allocation" ("variant_id", "channel_id", "allocated_qty", "reserve_quota", "backordered_qty") overriding system value values ('1', '1', '6', '4', '2');
insert into "allocation" ("variant_id", "channel_id", "allocated_qty", "reserve_quota", "backordered_qty") overriding system value values ('1', '2', '2', '0', '0');
insert into "allocation_movement" ("id", "channel_id", "variant_id", "delta", "allocated_after", "actor", "at") overriding system value values ('1', '1', '1', '6', '6', 'environment', '2026-11-19 01:42:59.924019+00');
insert into "allocation_movement" ("id", "channel_id", "variant_id", "delta", "allocated_after", "actor", "at") overriding system value values ('2', '2', '1', '5', '5', 'environment', '2026-11-19 01:42:59.960303+00');
insert into "asked_in_vain" ("channel_id", "sku", "lookups", "orders", "first_at", "last_at") overriding system value values ('1', 'K-NOBODY-KNOWS', '1', '0', '2026-11-19 01:43:05.18+00', '2026-11-19 01:43:05.18+00');
insert into "asked_in_vain" ("channel_id", "sku", "lookups", "orders", "first_at", "last_at") overriding system value values ('1', 'K-UNMAPPED', '0', '1', '2026-11-19 01:43:05.196+00', '2026-11-19 01:43:05.196+00');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('1', '2026-11-19 01:42:58.237482+00', 'first-start', 'user.create', 'user:admin@localhost', NULL, '{"name": null, "role": "admin", "is_active": true}', NULL);
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('10', '2026-11-19 01:42:59.826034+00', 'environment', 'mapping.put', 'channel:1', '{"mappings": []}', '{"mappings": [{"sku": "K-LENS-1", "variant_code": "LENS-1"}, {"sku": "K-LENS-2", "variant_code": "LENS-2"}]}', '71228b03-c812-4e2f-b0ad-af566da28d74');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('11', '2026-11-19 01:42:59.858087+00', 'environment', 'mapping.put', 'channel:2', '{"mappings": []}', '{"mappings": [{"sku": "J/LENS 1", "variant_code": "LENS-1"}, {"sku": "J-CASE", "variant_code": "CASE-1"}]}', '0c950c26-a616-4cf9-8287-0bdde8888d17');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('12', '2026-11-19 01:42:59.934696+00', 'environment', 'allocation.set', 'variant:LENS-1', NULL, '{"channel_id": 1, "allocated_qty": 6, "reserve_quota": 4}', '57c2a3be-f8fc-4aae-8cdc-c16364861732');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('13', '2026-11-19 01:42:59.975606+00', 'environment', 'allocation.set', 'variant:LENS-1', NULL, '{"channel_id": 2, "allocated_qty": 5, "reserve_quota": 0}', 'e9da9973-5bc0-4334-9bbe-98c4e2652f8d');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('14', '2026-11-19 01:43:00.115052+00', 'environment', 'common_code.put', 'common_code:DELIVERY_COMPANY/CJ', NULL, '{"name": "CJ Logistics"}', 'ca1451a0-4001-475b-b3f5-0fc22a6a0f25');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('15', '2026-11-19 01:43:00.149505+00', 'environment', 'exchange_rate.create', 'exchange_rate:JPY', NULL, '{"rate": "9.1534", "effective_at": "2026-11-19T01:43:00.145Z"}', '2318cf0b-d231-44e8-a733-6e65c16de4bd');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('16', '2026-11-19 01:43:00.221472+00', 'environment', 'channel.set_rate_limit', 'channel:2', NULL, '{"burst": 1000, "requests_per_minute": 60000}', 'f54e038a-ad70-4cee-905f-ea89b3a89f04');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('17', '2026-11-19 01:43:00.322711+00', 'environment', 'channel.add_signing_secret', 'channel:2', NULL, '{"signing_secret_id": 1}', '89873de3-ee25-4edf-ba99-5fb9a94e3f42');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('18', '2026-11-19 01:43:00.347364+00', 'environment', 'channel.set_signing', 'channel:2', '{"mode": "off"}', '{"mode": "accepted"}', '7bf4e97c-32fa-45f4-8837-b4e8979b8245');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('19', '2026-11-19 01:43:00.530351+00', 'environment', 'channel.rotate_key', 'channel:1', NULL, '{"previous_key_valid_until": "2026-11-20T01:43:00.501Z"}', '136d319a-99f3-4689-aeb5-38133f55c2a4');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('2', '2026-11-19 01:42:59.011897+00', 'environment', 'channel.create', 'channel:1', NULL, '{"name": "Seoul shop", "api_url": null, "archived": false, "is_active": true, "trace_until": null, "country_code": "KR", "currency_code": "KRW", "allowed_addresses": [], "order_number_prefix": null, "prepayment_expiry_minutes": null}', 'b4bd044d-d23f-4906-b76c-3a30d4563a53');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('20', '2026-11-19 01:43:01.562499+00', 'environment', 'user.create', 'user:operator@example.com', NULL, '{"name": "Operator", "role": "operator", "is_active": true}', 'f39ba7c0-b9aa-4126-86b0-d0c2778460aa');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('21', '2026-11-19 01:43:01.688198+00', 'environment', 'token.create', 'token:a program', NULL, '{"role": "viewer"}', '14bd25da-9f0b-4f1f-a08e-7787ccecaec2');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('22', '2026-11-19 01:43:02.591085+00', 'user:operator@example.com', 'session.sign_in', 'user:operator@example.com', NULL, NULL, '17ff60ef-63b4-425e-b9d5-0ede0c966209');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('23', '2026-11-19 01:43:04.653628+00', 'user:operator@example.com', 'password.change', 'user:operator@example.com', NULL, NULL, '6804602d-15a2-4c4c-82f3-4e67e9ca6a0c');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('24', '2026-11-19 01:43:05.348835+00', 'environment', 'order.status', 'order:8', '{"status": 1}', '{"status": 88}', '63eeade2-0dc8-4a48-8f2f-29d963898098');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('3', '2026-11-19 01:42:59.205845+00', 'environment', 'channel.create', 'channel:2', NULL, '{"name": "Tokyo shop", "api_url": "http://127.0.0.1:9/info", "archived": false, "is_active": true, "trace_until": null, "country_code": "JP", "currency_code": "JPY", "allowed_addresses": [], "order_number_prefix": null, "prepayment_expiry_minutes": null}', '9ec5e855-b0dc-42b4-acf7-13748d3f5045');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('4', '2026-11-19 01:42:59.235687+00', 'environment', 'product.create', 'product:LENS', NULL, '{"name": "Daily lens", "variants": [{"code": "LENS-1", "power": null}, {"code": "LENS-2", "power": null}]}', 'e07e6537-5ed6-4421-91dc-c76c6363723d');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('5', '2026-11-19 01:42:59.277904+00', 'environment', 'product.create', 'product:CASE', NULL, '{"name": "Lens case", "variants": [{"code": "CASE-1", "power": null}]}', '96137cd7-f98f-4b5b-89cd-432150e8434b');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('6', '2026-11-19 01:42:59.49119+00', 'environment', 'stock.set', 'variant:LENS-1', NULL, '{"reason": "first count", "quantity": 30}', 'ef2bd5e5-6f43-466e-b7da-03fe020ae33a');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('7', '2026-11-19 01:42:59.529638+00', 'environment', 'stock.set', 'variant:LENS-2', NULL, '{"reason": "first count", "quantity": 12}', 'd2d950b3-e5b3-4741-9db5-54ab9c8a8eb5');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('8', '2026-11-19 01:42:59.623238+00', 'environment', 'stock.set', 'variant:CASE-1', NULL, '{"reason": "first count", "quantity": 5}', '1d39affa-919c-4157-bc1f-6e9ab6728ea6');
insert into "audit" ("id", "at", "actor", "action", "subject", "before", "after", "request_id") overriding system value values ('9', '2026-11-19 01:42:59.745836+00', 'environment', 'stock.adjust', 'variant:LENS-1', '{"quantity": 30}', '{"reason": "found behind the shelf", "quantity": 33}', '3ed54cdc-35a9-4c26-9e68-53c46c845ecd');
insert into "channel" ("id", "name", "country_code", "currency_code", "api_url", "is_active", "key_hash", "key_sealed", "created_at", "previous_key_hash", "previous_key_valid_until", "key_last_used_at", "previous_key_last_used_at", "sealed_with", "rate_per_minute", "rate_burst", "signing_mode", "order_number_prefix", "key_version", "archived_at", "allowed_addresses", "prepayment_expiry_minutes", "trace_until") overriding system value values ('1', 'Seoul shop', 'KR', 'KRW', NULL, 'true', E'\\x0e037cfb36dd083fcd44df278ea9434b73b80ea6abed61c9dda3f2ee30153915', E'\\xf9efed2679fc110a68c3d87b143732ccdd43133469ef83a6285654c91bc914d072113c5ecb6fd092f208f6b59601f5dc763f9712672f75ac8a3b292916f8e52f2c2c3e50dfc3c0', '2026-11-19 01:42:58.989543+00', E'\\x3985750974c197032e7876c76c2b3fbeb30ea0f02c221f27e6483c39fee1ef09', '2100-01-01 00:00:00+00', '2026-11-19 01:43:06.313157+00', NULL, '8eaecda77d9684d0', NULL, NULL, 'off', NULL, '2', NULL, '{}', NULL, NULL);
insert into "channel" ("id", "name", "country_code", "currency_code", "api_url", "is_active", "key_hash", "key_sealed", "created_at", "previous_key_hash", "previous_key_valid_until", "key_last_used_at", "previous_key_last_used_at", "sealed_with", "rate_per_minute", "rate_burst", "signing_mode", "order_number_prefix", "key_version", "archived_at", "allowed_addresses", "prepayment_expiry_minutes", "trace_until") overriding system value values ('2', 'Tokyo shop', 'JP', 'JPY', 'http://127.0.0.1:9/info', 'true', E'\\xe1437f5f909e715ac1d8df617316c01a098a9ef8722f65d1b4bd87144ada6023', E'\\x52b6e0386043cce554c2dd931cafd5257763ad4afb5943df6bbf76d4aeca4febe614c00eeaf4439cec8b403d2a03f647ce2a8c7e366e6391cd8bb4010bc49becf178821b039f97', '2026-11-19 01:42:59.170876+00', NULL, NULL, '2026-11-19 01:43:06.313157+00', NULL, '8eaecda77d9684d0', '60000', '1000', 'accepted', NULL, '1', NULL, '{}', NULL, NULL);
insert into "channel_request" ("id", "channel_id", "at", "request_id", "outcome", "method", "route", "sku", "order_number", "status", "code", "ms", "address") overriding system value values ('83111345768802', '1', '2026-11-19 01:43:05.181+00', 'ca503a0f-6f8f-4115-82c4-74a1f247069a', 'refused', 'GET', '/api/v1/inventory/:sku', 'K-NOBODY-KNOWS', NULL, '404', 'sku_unmapped', '4', '127.0.0.1');
insert into "channel_request" ("id", "channel_id", "at", "request_id", "outcome", "method", "route", "sku", "order_number", "status", "code", "ms", "address") overriding system value values ('83111345768803', '1', '2026-11-19 01:43:05.247+00', '7e624ca1-a605-4d84-b7b5-aee9e302d9d6', 'refused', 'POST', '/api/v1/orders', 'K-UNMAPPED', 'ORD-3823-12', '422', 'sku_unmapped', '56', '127.0.0.1');
insert into "common_code" ("code_group", "code", "name", "tracking_url") overriding system value values ('DELIVERY_COMPANY', 'CJ', 'CJ Logistics', NULL);
insert into "exchange_rate" ("id", "currency_code", "rate", "effective_at", "created_at") overriding system value values ('1', 'JPY', '9.1534', '2026-11-19 01:43:00.145901+00', '2026-11-19 01:43:00.145901+00');
insert into "late_report" ("id", "channel_id", "order_number", "kind", "requested_status", "request_id", "count", "first_at", "last_at") overriding system value values ('1', '1', 'S-backorder-cancelled', 'resend_after_cancel', NULL, '7f5e0990-45dc-40bd-8bda-a22f4fc53053', '1', '2026-11-19 01:43:05.454+00', '2026-11-19 01:43:05.454+00');
insert into "late_report" ("id", "channel_id", "order_number", "kind", "requested_status", "request_id", "count", "first_at", "last_at") overriding system value values ('2', '1', 'S-cancelled', 'resend_after_cancel', NULL, '797b645d-73a1-4885-8c37-c1ae8ac5d364', '1', '2026-11-19 01:43:05.398+00', '2026-11-19 01:43:05.398+00');
insert into "late_report" ("id", "channel_id", "order_number", "kind", "requested_status", "request_id", "count", "first_at", "last_at") overriding system value values ('3', '2', 'T-desk', 'resend_after_cancel', NULL, 'dae89851-f3e6-41e7-b6c2-7bbc80197ad4', '1', '2026-11-19 01:43:05.429+00', '2026-11-19 01:43:05.429+00');
insert into "mapping" ("channel_id", "sku", "variant_id") overriding system value values ('1', 'K-LENS-1', '1');
insert into "mapping" ("channel_id", "sku", "variant_id") overriding system value values ('1', 'K-LENS-2', '2');
insert into "mapping" ("channel_id", "sku", "variant_id") overriding system value values ('2', 'J-CASE', '3');
insert into "mapping" ("channel_id", "sku", "variant_id") overriding system value values ('2', 'J/LENS 1', '1');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('1', NULL, '0', 'channel', '2026-11-19 01:43:04.764478+00', '810');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('10', NULL, '1', 'channel', '2026-11-19 01:43:05.084809+00', '824');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('11', '1', '88', 'channel', '2026-11-19 01:43:05.157175+00', '826');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('11', NULL, '1', 'channel', '2026-11-19 01:43:05.149199+00', '825');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('2', NULL, '1', 'channel', '2026-11-19 01:43:04.825249+00', '811');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('3', '1', '2', 'channel', '2026-11-19 01:43:04.854888+00', '813');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('3', NULL, '1', 'channel', '2026-11-19 01:43:04.839541+00', '812');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('4', '1', '9', 'channel', '2026-11-19 01:43:04.913338+00', '815');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('4', NULL, '1', 'channel', '2026-11-19 01:43:04.89786+00', '814');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('5', '1', '2', 'channel', '2026-11-19 01:43:04.940251+00', '817');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('5', '2', '3', 'channel', '2026-11-19 01:43:04.940251+00', '817');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('5', NULL, '1', 'channel', '2026-11-19 01:43:04.926641+00', '816');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('6', '1', '88', 'channel', '2026-11-19 01:43:04.982601+00', '819');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('6', NULL, '1', 'channel', '2026-11-19 01:43:04.955524+00', '818');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('7', NULL, '1', 'channel', '2026-11-19 01:43:05.01472+00', '821');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('8', '1', '88', 'back_office', '2026-11-19 01:43:05.345194+00', '827');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('8', NULL, '1', 'channel', '2026-11-19 01:43:05.043521+00', '822');
insert into "order_history" ("order_id", "from_status", "to_status", "source", "at", "xid") overriding system value values ('9', NULL, '1', 'channel', '2026-11-19 01:43:05.060967+00', '823');
insert into "order_item" ("order_id", "line", "variant_id", "sku", "quantity", "cancelled_quantity", "from_allocation", "local_unit_price", "unit_price", "product_version_id") overriding system value values ('1', '0', '1', 'K-LENS-1', '1', '0', '0', '15000', '15000.00', '1');
insert into "order_item" ("order_id", "line", "variant_id", "sku", "quantity", "cancelled_quantity", "from_allocation", "local_unit_price", "unit_price", "product_version_id") overriding system value values ('10', '0', '1', 'K-LENS-1', '2', '0', '0', '15000', '15000.00', '1');
insert into "order_item" ("order_id", "line", "variant_id", "sku", "quantity", "cancelled_quantity", "from_allocation", "local_unit_price", "unit_price", "product_version_id") overriding system value values ('11', '0', '1', 'K-LENS-1', '1', '1', '0', '15000', '15000.00', '1');
insert into "order_item" ("order_id", "line", "variant_id", "sku", "quantity", "cancelled_quantity", "from_allocation", "local_unit_price", "unit_price", "product_version_id") overriding system value values ('2', '0', '1', 'K-LENS-1', '2', '0', '0', '15000', '15000.00', '1');
insert into "order_item" ("order_id", "line", "variant_id", "sku", "quantity", "cancelled_quantity", "from_allocation", "local_unit_price", "unit_price", "product_version_id") overriding system value values ('3', '0', '2', 'K-LENS-2', '1', '0', '0', '15000', '15000.00', '1');
insert into "order_item" ("order_id", "line", "variant_id", "sku", "quantity", "cancelled_quantity", "from_allocation", "local_unit_price", "unit_price", "product_version_id") overriding system value values ('4', '0', '2', 'K-LENS-2', '2', '0', '0', '15000.5', '15000.50', '1');
insert into "order_item" ("order_id", "line", "variant_id", "sku", "quantity", "cancelled_quantity", "from_allocation", "local_unit_price", "unit_price", "product_version_id") overriding system value values ('5', '0', '1', 'K-LENS-1', '3', '0', '0', '15000', '15000.00', '1');
insert into "order_item" ("order_id", "line", "variant_id", "sku", "quantity", "cancelled_quantity", "from_allocation", "local_unit_price", "unit_price", "product_version_id") overriding system value values ('5', '1', '2', 'K-LENS-2', '1', '0', '0', '14000', '14000.00', '1');
insert into "order_item" ("order_id", "line", "variant_id", "sku", "quantity", "cancelled_quantity", "from_allocation", "local_unit_price", "unit_price", "product_version_id") overriding system value values ('6', '0', '1', 'K-LENS-1', '4', '4', '0', '15000', '15000.00', '1');
insert into "order_item" ("order_id", "line", "variant_id", "sku", "quantity", "cancelled_quantity", "from_allocation", "local_unit_price", "unit_price", "product_version_id") overriding system value values ('7', '0', '1', 'J/LENS 1', '2', '0', '0', '1500.5', '13734.68', '1');
insert into "order_item" ("order_id", "line", "variant_id", "sku", "quantity", "cancelled_quantity", "from_allocation", "local_unit_price", "unit_price", "product_version_id") overriding system value values ('8', '0', '3', 'J-CASE', '1', '1', '0', '300', '2746.02', '2');
insert into "order_item" ("order_id", "line", "variant_id", "sku", "quantity", "cancelled_quantity", "from_allocation", "local_unit_price", "unit_price", "product_version_id") overriding system value values ('9', '0', '1', 'J/LENS 1', '17', '0', '3', '1500', '13730.10', '1');
insert into "order_search" ("order_id", "content") overriding system value values ('1', 's-unpaid
k-lens-1
lens-1

kim canaryname
0101234');
insert into "order_search" ("order_id", "content") overriding system value values ('10', 's-backorder
k-lens-1
lens-1

kim canaryname
0101234');
insert into "order_search" ("order_id", "content") overriding system value values ('11', 's-backorder-cancelled
k-lens-1
lens-1

kim canaryname
0101234');
insert into "order_search" ("order_id", "content") overriding system value values ('2', 's-paid
k-lens-1
lens-1

kim canaryname
0101234');
insert into "order_search" ("order_id", "content") overriding system value values ('3', 's-preparing
k-lens-2
lens-2

kim canaryname
0101234');
insert into "order_search" ("order_id", "content") overriding system value values ('4', 's-on-hold
k-lens-2
lens-2

kim canaryname
0101234');
insert into "order_search" ("order_id", "content") overriding system value values ('5', 's-shipped
k-lens-1
lens-1
k-lens-2
lens-2

kim canaryname
0101234
t-1');
insert into "order_search" ("order_id", "content") overriding system value values ('6', 's-cancelled
k-lens-1
lens-1

kim canaryname
0101234');
insert into "order_search" ("order_id", "content") overriding system value values ('7', 't-yen
j/lens 1
lens-1

kim canaryname
0101234');
insert into "order_search" ("order_id", "content") overriding system value values ('8', 't-desk
j-case
case-1

kim canaryname
0101234');
insert into "order_search" ("order_id", "content") overriding system value values ('9', 't-drawn
j/lens 1
lens-1

kim canaryname
0101234');
insert into "order_search_progress" ("only_row", "place", "seen_xid", "seen_at", "pass_xid", "pass_at", "after_id", "last_id") overriding system value values ('true', '7709692038880161602 16386', '844', '2026-11-19 01:43:05.545138+00', NULL, '2026-11-19 01:43:05.545138+00', '0', NULL);
insert into "orders" ("id", "channel_id", "order_number", "status", "is_backorder", "recipient_name", "recipient_phone", "shipping_address", "tracking_number", "courier_code", "courier_name", "cancel_reason", "local_currency_code", "local_total_amount", "total_amount", "exchange_rate", "created_at", "erased_at") overriding system value values ('1', '1', 'S-unpaid', '0', 'false', 'Kim Canaryname', '010-1234-CANARYPHONE', '12 Canarystreet-ro, Gangnam-gu, Seoul', NULL, NULL, NULL, NULL, 'KRW', '15000', '15000.00', '1', '2026-11-19 01:43:04.764478+00', NULL);
insert into "orders" ("id", "channel_id", "order_number", "status", "is_backorder", "recipient_name", "recipient_phone", "shipping_address", "tracking_number", "courier_code", "courier_name", "cancel_reason", "local_currency_code", "local_total_amount", "total_amount", "exchange_rate", "created_at", "erased_at") overriding system value values ('10', '1', 'S-backorder', '1', 'true', 'Kim Canaryname', '010-1234-CANARYPHONE', '12 Canarystreet-ro, Gangnam-gu, Seoul', NULL, NULL, NULL, NULL, 'KRW', '30000', '30000.00', '1', '2026-11-19 01:43:05.084809+00', NULL);
insert into "orders" ("id", "channel_id", "order_number", "status", "is_backorder", "recipient_name", "recipient_phone", "shipping_address", "tracking_number", "courier_code", "courier_name", "cancel_reason", "local_currency_code", "local_total_amount", "total_amount", "exchange_rate", "created_at", "erased_at") overriding system value values ('11', '1', 'S-backorder-cancelled', '88', 'true', 'Kim Canaryname', '010-1234-CANARYPHONE', '12 Canarystreet-ro, Gangnam-gu, Seoul', NULL, NULL, NULL, NULL, 'KRW', '15000', '15000.00', '1', '2026-11-19 01:43:05.149199+00', NULL);
insert into "orders" ("id", "channel_id", "order_number", "status", "is_backorder", "recipient_name", "recipient_phone", "shipping_address", "tracking_number", "courier_code", "courier_name", "cancel_reason", "local_currency_code", "local_total_amount", "total_amount", "exchange_rate", "created_at", "erased_at") overriding system value values ('2', '1', 'S-paid', '1', 'false', 'Kim Canaryname', '010-1234-CANARYPHONE', '12 Canarystreet-ro, Gangnam-gu, Seoul', NULL, NULL, NULL, NULL, 'KRW', '30000', '30000.00', '1', '2026-11-19 01:43:04.825249+00', NULL);
insert into "orders" ("id", "channel_id", "order_number", "status", "is_backorder", "recipient_name", "recipient_phone", "shipping_address", "tracking_number", "courier_code", "courier_name", "cancel_reason", "local_currency_code", "local_total_amount", "total_amount", "exchange_rate", "created_at", "erased_at") overriding system value values ('3', '1', 'S-preparing', '2', 'false', 'Kim Canaryname', '010-1234-CANARYPHONE', '12 Canarystreet-ro, Gangnam-gu, Seoul', NULL, NULL, NULL, NULL, 'KRW', '15000', '15000.00', '1', '2026-11-19 01:43:04.839541+00', NULL);
insert into "orders" ("id", "channel_id", "order_number", "status", "is_backorder", "recipient_name", "recipient_phone", "shipping_address", "tracking_number", "courier_code", "courier_name", "cancel_reason", "local_currency_code", "local_total_amount", "total_amount", "exchange_rate", "created_at", "erased_at") overriding system value values ('4', '1', 'S-on-hold', '9', 'false', 'Kim Canaryname', '010-1234-CANARYPHONE', '12 Canarystreet-ro, Gangnam-gu, Seoul', NULL, NULL, NULL, NULL, 'KRW', '30001', '30001.00', '1', '2026-11-19 01:43:04.89786+00', NULL);
insert into "orders" ("id", "channel_id", "order_number", "status", "is_backorder", "recipient_name", "recipient_phone", "shipping_address", "tracking_number", "courier_code", "courier_name", "cancel_reason", "local_currency_code", "local_total_amount", "total_amount", "exchange_rate", "created_at", "erased_at") overriding system value values ('5', '1', 'S-shipped', '3', 'false', 'Kim Canaryname', '010-1234-CANARYPHONE', '12 Canarystreet-ro, Gangnam-gu, Seoul', 'T-1', 'CJ', 'CJ Logistics', NULL, 'KRW', '59000', '59000.00', '1', '2026-11-19 01:43:04.926641+00', NULL);
insert into "orders" ("id", "channel_id", "order_number", "status", "is_backorder", "recipient_name", "recipient_phone", "shipping_address", "tracking_number", "courier_code", "courier_name", "cancel_reason", "local_currency_code", "local_total_amount", "total_amount", "exchange_rate", "created_at", "erased_at") overriding system value values ('6', '1', 'S-cancelled', '88', 'false', 'Kim Canaryname', '010-1234-CANARYPHONE', '12 Canarystreet-ro, Gangnam-gu, Seoul', NULL, NULL, NULL, 'changed their mind', 'KRW', '60000', '60000.00', '1', '2026-11-19 01:43:04.955524+00', NULL);
insert into "orders" ("id", "channel_id", "order_number", "status", "is_backorder", "recipient_name", "recipient_phone", "shipping_address", "tracking_number", "courier_code", "courier_name", "cancel_reason", "local_currency_code", "local_total_amount", "total_amount", "exchange_rate", "created_at", "erased_at") overriding system value values ('7', '2', 'T-yen', '1', 'false', 'Kim Canaryname', '010-1234-CANARYPHONE', '12 Canarystreet-ro, Gangnam-gu, Seoul', NULL, NULL, NULL, NULL, 'JPY', '3001', '27469.35', '9.1534', '2026-11-19 01:43:05.01472+00', NULL);
insert into "orders" ("id", "channel_id", "order_number", "status", "is_backorder", "recipient_name", "recipient_phone", "shipping_address", "tracking_number", "courier_code", "courier_name", "cancel_reason", "local_currency_code", "local_total_amount", "total_amount", "exchange_rate", "created_at", "erased_at") overriding system value values ('8', '2', 'T-desk', '88', 'false', 'Kim Canaryname', '010-1234-CANARYPHONE', '12 Canarystreet-ro, Gangnam-gu, Seoul', NULL, NULL, NULL, 'out of the catalogue', 'JPY', '300', '2746.02', '9.1534', '2026-11-19 01:43:05.043521+00', NULL);
insert into "orders" ("id", "channel_id", "order_number", "status", "is_backorder", "recipient_name", "recipient_phone", "shipping_address", "tracking_number", "courier_code", "courier_name", "cancel_reason", "local_currency_code", "local_total_amount", "total_amount", "exchange_rate", "created_at", "erased_at") overriding system value values ('9', '2', 'T-drawn', '1', 'false', 'Kim Canaryname', '010-1234-CANARYPHONE', '12 Canarystreet-ro, Gangnam-gu, Seoul', NULL, NULL, NULL, NULL, 'JPY', '25500', '233411.70', '9.1534', '2026-11-19 01:43:05.060967+00', NULL);
insert into "product" ("id", "code", "name", "created_at", "version_id", "archived_at") overriding system value values ('1', 'LENS', 'Daily lens', '2026-11-19 01:42:59.228635+00', '1', NULL);
insert into "product" ("id", "code", "name", "created_at", "version_id", "archived_at") overriding system value values ('2', 'CASE', 'Lens case', '2026-11-19 01:42:59.269876+00', '2', NULL);
insert into "product_version" ("id", "product_id", "code", "name", "at") overriding system value values ('1', '1', 'LENS', 'Daily lens', '2026-11-19 01:42:59.228635+00');
insert into "product_version" ("id", "product_id", "code", "name", "at") overriding system value values ('2', '2', 'CASE', 'Lens case', '2026-11-19 01:42:59.269876+00');
insert into "rate_bucket" ("channel_id", "units", "granted", "at") overriding system value values ('2', '54000000000', '100', '2026-11-19 01:43:05.007076+00');
insert into "refusal_count" ("hour", "channel_id", "reason", "count") overriding system value values ('2026-11-19 01:00:00+00', '1', 'sku_unmapped', '1');
insert into "refused_order" ("id", "channel_id", "order_number", "reason", "field", "sku", "requested", "available", "is_backorder", "lines", "request_id", "count", "first_at", "last_at") overriding system value values ('1', '1', 'ORD-3823-12', 'sku_unmapped', NULL, 'K-UNMAPPED', '1', NULL, 'false', '[{"sku": "K-UNMAPPED", "quantity": 1}]', '7e624ca1-a605-4d84-b7b5-aee9e302d9d6', '1', '2026-11-19 01:43:05.196+00', '2026-11-19 01:43:05.196+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('1', '0001_catalogue_stock_orders.sql', '1f96a19017b10e33dec2991d9104a3d210919a4ebda389acb17aed14c1c3c434', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('10', '0010_sign_ins_and_tokens.sql', 'b05de2af46008208426bf03ef0e5b6a67a8a2358dc920f2b197c780aa0587c8d', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('11', '0011_key_versions.sql', '552562e42633efa9b60c2f7e976da48ac3f471c9e1485b6dfba044cfcec31bb9', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('12', '0012_returns_and_notes.sql', '10b754647dc00539837280ba721eceba07c53947085a3ac97c6d649eaaee4156', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('13', '0013_order_search.sql', '0b09f926455d40cd0460bd439103d358a9cd55086089e61fb2631d4d0aa9fc68', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('14', '0014_tracking_urls.sql', '04684ce38066a54731816510aa87f80c716a18f7722302d1bd5551f604f57807', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('15', '0015_counts_and_variant_facts.sql', '89d9103ac6e65603357bd7c3cce963a9abad5f7e10085d32c60643af10aad813', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('16', '0016_refused_orders_and_archive.sql', '30a7774013a4c0aa576753867b35f439088dfa8cf1fcdead55898342e662ee42', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('17', '0017_order_feed.sql', '0de29a38d2e5c171bf42b4c1943b5ce2e26ab89a465c846c7ae0a0cfe320004c', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('18', '0018_jobs.sql', '51d9cb5664af48efede5296911a9b7010e3df5768c8ac5117640e30ea0e07046', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('19', '0019_session_devices_and_channel_addresses.sql', 'a84c2be445d1010a755ff96f6b47263990b41fbddcb0417e44b7f604c9188e63', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('2', '0002_accounts.sql', 'deb6aac3ea2a28589ea8a8223476c25887bd7227e62c6f807de0a1d0655d781e', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('20', '0020_exchange_rate_source.sql', '4b1bd52490b86a9b1114fed22b8bf4f0c3a908857fe41a08b17e752308956bf2', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('21', '0021_webhooks_and_alerts.sql', '0a4dd7ce7dc1e6e9c290da2ae64393be7df0df164664d48f97528f950c822bea', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('22', '0022_second_factor.sql', '590bf4a1de4b75a25ba19ae4e5a2c0f356ce2cb3228038f8c3d200ed59dc82ec', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('23', '0023_identities.sql', '4b3102fde3d041d17a61204bece260c29ed234d0eb1732f29cc5624430ea9e7d', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('24', '0024_prepayment_expiry.sql', '9bd4cedbda9d0c160bc77219bdee74617aaf00bbb3ee926b228c1ab03c65c04f', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('25', '0025_rate_buckets.sql', '4542fcc42ee0654d051deb16f8f07fea50b8884f91c5bb833b99ed2f8bfd4628', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('26', '0026_channel_requests.sql', 'abad2281ef00c0e9401b66fef2e265fbc85a59e33a1a4aa3ccfbccff64c88642', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('27', '0027_stock_import_undo.sql', '2c8d5588d1584d2e7070b89d78010d964ec4d150f45b0f6d0b681471f50023f5', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('3', '0003_observations.sql', 'bde61ad5d3dc5d22e09a89ef47a3577fa614ea185d40f79bebd6bc830cb13fbe', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('4', '0004_console_reads.sql', '505382ce9d2ba3d0f59b24f13eb92e1ac68013e96af3133c81ec699d95f0b8e8', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('5', '0005_channel_keys.sql', '963c0c86e1326c0fee707efd2f51d36f3281eb7850226bfb62b2b516d53f282e', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('6', '0006_erasure_and_ledgers.sql', '887470b76612d143291572312721d2a1325686b51197978fe4bfbcf556ebd8ba', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('7', '0007_paging_and_changes.sql', '6775b53daf52f22cfce6a5d4639b237d7190ca7b1767f5267f29503f7b8de59f', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('8', '0008_limits_and_signing.sql', '882771244d10ccbfafda7c9040034b60e344aa358bfdb5e1489382bdd15a0b9d', '2026-11-19 01:42:48.689125+00');
insert into "schema_migration" ("version", "name", "checksum", "applied_at") overriding system value values ('9', '0009_names_of_the_intake.sql', 'c90b68def7b45d337989acf4b34fa7d20c23d956933acd17900f51bb5051203f', '2026-11-19 01:42:48.689125+00');
insert into "sign_in_failure" ("key", "account", "address_key", "level", "failures", "at", "locked_until") overriding system value values ('47e081ae3905dcacdc1a71161d376ee6', 'a85504a41c648348837687d2b9bfb88a', NULL, '0', '0', '2026-11-19 01:43:02.705897+00', NULL);
insert into "sign_in_failure" ("key", "account", "address_key", "level", "failures", "at", "locked_until") overriding system value values ('b5a3dd9dc948bc986bc3a40013a1d6d3', NULL, NULL, '0', '0', '2026-11-19 01:43:01.765017+00', NULL);
insert into "sign_in_failure" ("key", "account", "address_key", "level", "failures", "at", "locked_until") overriding system value values ('e8417289d82c6ba1f578afa2fd3498f5', 'a85504a41c648348837687d2b9bfb88a', NULL, '0', '0', '2026-11-19 01:43:01.765028+00', NULL);
insert into "sign_in_failure" ("key", "account", "address_key", "level", "failures", "at", "locked_until") overriding system value values ('fd3e6db43d99ed455cc07b3bf15cc462', 'a85504a41c648348837687d2b9bfb88a', 'b5a3dd9dc948bc986bc3a40013a1d6d3', '0', '0', '2026-11-19 01:43:01.765031+00', NULL);
insert into "signing_secret" ("id", "channel_id", "secret_sealed", "sealed_with", "created_at", "last_used_at") overriding system value values ('1', '2', E'\\x7e425e1f9ace80f6491c4dbfa7657c2df7e89c42b4a27d97eb97a95a1055980306e65b8ceb998ed2e228f9b83a4e04cf846e5a591450a0b77cd0ee156e3e2c82c3576ad9c4baff863b9562', '8eaecda77d9684d0', '2026-11-19 01:43:00.31301+00', NULL);
insert into "stock" ("variant_id", "quantity", "unshipped", "allocated", "backordered") overriding system value values ('1', '30', '22', '8', '2');
insert into "stock" ("variant_id", "quantity", "unshipped", "allocated", "backordered") overriding system value values ('2', '11', '3', '0', '0');
insert into "stock" ("variant_id", "quantity", "unshipped", "allocated", "backordered") overriding system value values ('3', '5', '0', '0', '0');
insert into "stock_count" ("variant_id", "counted_at", "entries") overriding system value values ('1', '2026-11-19 01:42:59.391532+00', '1');
insert into "stock_count" ("variant_id", "counted_at", "entries") overriding system value values ('2', '2026-11-19 01:42:59.528047+00', '1');
insert into "stock_count" ("variant_id", "counted_at", "entries") overriding system value values ('3', '2026-11-19 01:42:59.608598+00', '1');
insert into "stock_movement" ("id", "variant_id", "delta", "quantity_after", "kind", "order_id", "actor", "reason", "at") overriding system value values ('1', '1', '30', '30', 'set', NULL, 'environment', 'first count', '2026-11-19 01:42:59.388057+00');
insert into "stock_movement" ("id", "variant_id", "delta", "quantity_after", "kind", "order_id", "actor", "reason", "at") overriding system value values ('2', '2', '12', '12', 'set', NULL, 'environment', 'first count', '2026-11-19 01:42:59.52765+00');
insert into "stock_movement" ("id", "variant_id", "delta", "quantity_after", "kind", "order_id", "actor", "reason", "at") overriding system value values ('3', '3', '5', '5', 'set', NULL, 'environment', 'first count', '2026-11-19 01:42:59.608135+00');
insert into "stock_movement" ("id", "variant_id", "delta", "quantity_after", "kind", "order_id", "actor", "reason", "at") overriding system value values ('4', '1', '3', '33', 'adjustment', NULL, 'environment', 'found behind the shelf', '2026-11-19 01:42:59.732109+00');
insert into "stock_movement" ("id", "variant_id", "delta", "quantity_after", "kind", "order_id", "actor", "reason", "at") overriding system value values ('5', '1', '-3', '30', 'shipment', '5', 'channel:1', NULL, '2026-11-19 01:43:04.945674+00');
insert into "stock_movement" ("id", "variant_id", "delta", "quantity_after", "kind", "order_id", "actor", "reason", "at") overriding system value values ('6', '2', '-1', '11', 'shipment', '5', 'channel:1', NULL, '2026-11-19 01:43:04.945819+00');
insert into "variant" ("id", "product_id", "code", "power", "created_at", "barcode", "attributes", "low_stock_at", "archived_at") overriding system value values ('1', '1', 'LENS-1', NULL, '2026-11-19 01:42:59.228635+00', NULL, '{}', NULL, NULL);
insert into "variant" ("id", "product_id", "code", "power", "created_at", "barcode", "attributes", "low_stock_at", "archived_at") overriding system value values ('2', '1', 'LENS-2', NULL, '2026-11-19 01:42:59.228635+00', NULL, '{}', NULL, NULL);
insert into "variant" ("id", "product_id", "code", "power", "created_at", "barcode", "attributes", "low_stock_at", "archived_at") overriding system value values ('3', '2', 'CASE-1', NULL, '2026-11-19 01:42:59.269876+00', NULL, '{}', NULL, NULL);
select setval('"account_id_seq"', 2);
select setval('"account_session_id_seq"', 2);
select setval('"admin_token_id_seq"', 1);
select setval('"alert_id_seq"', 1);
select setval('"allocation_movement_id_seq"', 2);
select setval('"audit_id_seq"', 24);
select setval('"channel_id_seq"', 2);
select setval('"exchange_rate_id_seq"', 1);
select setval('"late_report_id_seq"', 3);
select setval('"order_id_seq"', 23);
select setval('"product_id_seq"', 2);
select setval('"product_version_id_seq"', 2);
select setval('"refused_order_id_seq"', 1);
select setval('"signing_secret_id_seq"', 1);
select setval('"stock_movement_id_seq"', 6);
select setval('"variant_id_seq"', 3);
