// Written by tools/scripts/api-types.ts from the OpenAPI document "Sluice admin API". Not to be edited.

export interface Schemas {
  Alert: {
    id: number;
    kind:
      | 'low_stock'
      | 'overcommitted'
      | 'unmapped_sku'
      | 'rate_missing'
      | 'rate_stale'
      | 'drift'
      | 'channel_silent'
      | 'prepayment_old'
      | 'channel_exceeds_stock'
      | 'webhook_failing';
    subject: string;
    /** Which ones depends on the kind. */
    details: Record<string, unknown>;
    /** ISO 8601 with offset. */
    opened_at: string;
    /** null: it is open. */
    closed_at: string | null;
    /** The section of the runbook about this kind. */
    runbook_url: string;
  };
  AlertRule: {
    kind:
      | 'low_stock'
      | 'overcommitted'
      | 'unmapped_sku'
      | 'rate_missing'
      | 'rate_stale'
      | 'drift'
      | 'channel_silent'
      | 'prepayment_old'
      | 'channel_exceeds_stock'
      | 'webhook_failing';
    enabled: boolean;
    /** rate_stale, channel_silent, prepayment_old, unmapped_sku: how long. */
    hours?: number | null;
    /** unmapped_sku: how many. */
    requests?: number | null;
    /** webhook_failing: failed attempts in a row. */
    failures?: number | null;
  };
  Allocation: {
    channel_id: number;
    variant_code: string;
    allocated_qty: number;
    reserve_quota: number;
    backordered_qty: number;
    available: number;
    reserve_remaining: number;
    /** By how much unshipped normal orders and pre-allocations exceed the physical stock, 0 if they fit. Channels are never offered more than the physical stock. */
    overcommitted_by: number;
  };
  /** The file has problems, and nothing was written. */
  AllocationImportRefusal: {
    error: string;
    code: 'invalid_file';
    details: {
      error_count: number;
    };
    data: {
      /** Rows of the file, whether they changed something or not; 0 with any problem, and for a header alone. */
      count: number;
      /** The first 200. With any, nothing is written. */
      problems: {
        line: number;
        /** null: the row as a whole. */
        column: string | null;
        /** `variant_unknown`, `channel_unknown`, `stock_missing`, … */
        code: string;
        /** Which ones depends on the code. */
        details: Record<string, unknown>;
        text: string;
      }[];
      problem_count: number;
      /** One element for each row, as all rows together leave it. */
      rows: Schemas['Allocation'][];
    };
  };
  AuditEntry: {
    id: number;
    /** ISO 8601 with offset. */
    at: string;
    actor: string;
    /** Name of the account; null: none. */
    actor_name: string | null;
    action: string;
    /** What was changed. */
    subject: string;
    /** Of an account or channel the name, of an order its number; null: none. */
    subject_name: string | null;
    /** The state before; null if there was none. */
    before: Record<string, unknown> | null;
    /** The state after; null if nothing is left or the value is secret. */
    after: Record<string, unknown> | null;
    /** The X-Request-Id of the change. */
    request_id: string | null;
  };
  Backorder: {
    /** The order id. */
    id: number;
    order_number: string;
    channel_id: number;
    channel_name: string;
    status: 0 | 1 | 2 | 9 | 3 | 88;
    /** ISO 8601 with offset. */
    created_at: string;
    /** Paid, and everything it needs is there when it is its turn: the oldest order takes first, one that is short of something takes nothing. */
    can_ship: boolean;
    items: {
      variant_code: string;
      product_name: string;
      skus: string[];
      /** Ordered and not cancelled. */
      quantity: number;
      /** Missing when it is this order's turn; 0: enough. */
      missing: number;
      /** Physical stock that unshipped normal orders leave. */
      free: number;
    }[];
  };
  BulkStatusReport: {
    /** The order id. */
    id: number;
    /** 0 pre-payment, 1 paid, 2 product preparation, 9 shipping preparation, 3 shipped, 88 cancelled. */
    status: 0 | 1 | 2 | 9 | 3 | 88;
    /** Required when status is 3; with any other status it is not kept. */
    tracking_number?: string | null;
    /** A code of the group DELIVERY_COMPANY; any other leaves only the tracking number. */
    courier_code?: string | null;
    /** Why the order was cancelled. */
    reason?: string | null;
  };
  Channel: {
    id: number;
    name: string;
    country_code: string | null;
    currency_code: string;
    /** Viewers see it without user name, password and query, which may contain secrets. */
    api_url: string | null;
    is_active: boolean;
    /** ISO 8601 with offset. */
    created_at: string;
    /** When the key was last used, to the minute; null: never. */
    key_last_used_at: string | null;
    /** Until when the previous key is valid; null: it is not. */
    previous_key_valid_until: string | null;
    /** When the previous key was last used, while it is valid. */
    previous_key_last_used_at: string | null;
    /** null: none. */
    rate_limit: Schemas['RateLimit'] | null;
    signing: {
      /** off: signatures are ignored; accepted: a signature must be valid if sent; required: every request must be signed. */
      mode: 'off' | 'accepted' | 'required';
      /** The valid signing secrets, without their values. */
      secrets: Schemas['SigningSecret'][];
    };
    /** Required prefix of the order numbers of the channel; null: none. */
    order_number_prefix: string | null;
    /** Addresses and ranges from which the key may be used; empty: from anywhere. */
    allowed_addresses: string[];
    /** Orders that stay unpaid for so long are cancelled by the service; null: never. */
    prepayment_expiry_minutes: number | null;
    /** Every request of the channel is logged and listed until then; null: refused and slow ones. */
    trace_until: string | null;
    /** Out of lists and pickers; inactive too. */
    archived: boolean;
  };
  ChannelLimits: {
    /** The largest quantity of one line. null: no limit. */
    line_quantity_max: number | null;
    /** How much of an item unpaid orders (status 0) may hold together; backorders hold none. null: no limit. */
    unpaid_quantity_max: number | null;
    /** The same in percent of the physical stock of the item that is not pre-allocated. null: no limit. */
    unpaid_percent_max: number | null;
    /** Open backorders of an item for which the channel has no quota. null: no limit. */
    backordered_quantity_max: number | null;
  };
  ChannelRequest: {
    id: number;
    /** The X-Request-Id of the response. */
    request_id: string;
    /** ISO 8601 with offset. */
    at: string;
    /** refused: a status of 400 or above; slow: not refused, and slow; served: logged by a trace. */
    outcome: 'refused' | 'slow' | 'served';
    method: string;
    /** The pattern of the path. */
    route: string;
    /** The channel SKU in the path, or of an order with one line; long ones are shortened. */
    sku: string | null;
    /** Long ones are shortened. */
    order_number: string | null;
    status: number;
    /** The header Sluice-Error of a refusal. */
    code: string | null;
    /** Milliseconds from the request to the end of its answer. */
    ms: number;
    /** Of the client; IPv6: its /64 network. */
    address: string;
  };
  ChannelWithKey: {
    id: number;
    name: string;
    country_code: string | null;
    currency_code: string;
    /** Viewers see it without user name, password and query, which may contain secrets. */
    api_url: string | null;
    is_active: boolean;
    /** Shown only once: store it. */
    api_key: string;
    /** ISO 8601 with offset. */
    created_at: string;
    /** When the key was last used, to the minute; null: never. */
    key_last_used_at: string | null;
    /** Until when the previous key is valid; null: it is not. */
    previous_key_valid_until: string | null;
    /** When the previous key was last used, while it is valid. */
    previous_key_last_used_at: string | null;
    /** null: none. */
    rate_limit: Schemas['RateLimit'] | null;
    signing: {
      /** off: signatures are ignored; accepted: a signature must be valid if sent; required: every request must be signed. */
      mode: 'off' | 'accepted' | 'required';
      /** The valid signing secrets, without their values. */
      secrets: Schemas['SigningSecret'][];
    };
    /** Required prefix of the order numbers of the channel; null: none. */
    order_number_prefix: string | null;
    /** Addresses and ranges from which the key may be used; empty: from anywhere. */
    allowed_addresses: string[];
    /** Orders that stay unpaid for so long are cancelled by the service; null: never. */
    prepayment_expiry_minutes: number | null;
    /** Every request of the channel is logged and listed until then; null: refused and slow ones. */
    trace_until: string | null;
    /** Out of lists and pickers; inactive too. */
    archived: boolean;
  };
  CommonCode: {
    code: string;
    name: string;
    /** Of a courier; null: none. */
    tracking_url: string | null;
    /** Other names by which lists of shipments find a courier. */
    aliases: string[];
  };
  /** The file has problems, and nothing was written. */
  CsvImportRefusal: {
    error: string;
    code: 'invalid_file';
    details: {
      error_count: number;
    };
    data: Schemas['CsvImportReport'];
  };
  CsvImportReport: {
    /** Rows of the file, whether they changed something or not; 0 with any problem, and for a header alone. */
    count: number;
    /** The first 200. With any, nothing is written. */
    problems: {
      line: number;
      /** null: the row as a whole. */
      column: string | null;
      /** `value_missing`, `variant_unknown`, `order_differs`, … */
      code: string;
      /** Which ones depends on the code. */
      details: Record<string, unknown>;
      text: string;
    }[];
    problem_count: number;
    /** What was created or changed, by name. */
    counts: Record<string, number>;
    /** Probable mistakes, the first 200. They do not stop the import. */
    warnings: {
      line: number;
      /** null: the row as a whole. */
      column: string | null;
      /** `looks_alike` */
      code: string;
      /** Which ones depends on the code. */
      details: Record<string, unknown>;
      text: string;
    }[];
  };
  ExchangeRate: {
    id: number;
    currency_code: string;
    /** A decimal string, exactly as entered. */
    rate: string;
    /** ISO 8601 with offset. */
    effective_at: string;
    /** ISO 8601 with offset. */
    created_at: string;
  };
  HistoryStep: {
    /** null: the intake. */
    from: 0 | 1 | 2 | 9 | 3 | 88 | null;
    to: 0 | 1 | 2 | 9 | 3 | 88;
    /** The shipment was corrected; null: the order reached the status. */
    correction: {
      tracking_changed: boolean;
      courier_code_before: string | null;
      courier_code_after: string | null;
    } | null;
    /** channel, back_office, import (taken over from another service) or service (expired). */
    source: string;
    /** `user:<e-mail>`, `token:<name>`, `channel:<id>`, `import` (taken over from another service), `expiry` (not paid in time), …; null: not recorded. */
    actor: string | null;
    /** The name of the account or channel, if it has one. */
    actor_name: string | null;
    /** ISO 8601 with offset. */
    at: string;
  };
  /** The file has problems, and nothing was written. */
  ImportRefusal: {
    error: string;
    code: 'invalid_file';
    details: {
      error_count: number;
    };
    data: {
      /** Without the header; 0 if the file cannot be read completely. */
      rows: number;
      created: number;
      replaced: number;
      unchanged: number;
      /** The first 200. */
      errors: {
        line: number;
        /** null: the row as a whole. */
        column: string | null;
        /** `variant_unknown`, `sku_repeated`, `value_missing`, … */
        code: string;
        /** Which ones depends on the code. */
        details: Record<string, unknown>;
        message: string;
      }[];
      /** Total number of errors. With any, nothing is applied. */
      error_count: number;
      applied: boolean;
      /** The first 50 rows that change something. */
      sample: {
        sku: string;
        variant_code: string;
        /** The previous variant; null: a new SKU. */
        before: string | null;
      }[];
    };
  };
  /** The request is not of the required form: texts by field, and the same as codes and facts. */
  InvalidRequest: {
    /** The first text, and how many more there are. */
    message: string;
    errors: Record<string, string[]>;
    /** `validation`, or what is wrong with entries of a list. */
    code: string;
    details: {
      faults: {
        /** The dotted path, as in `errors`. */
        field: string;
        /** What is wrong: `required`, `too_long`, `not_listed`, … */
        code: string;
        /** Such as `characters_max`. */
        details: Record<string, unknown>;
      }[];
    };
  };
  ListedOrder: {
    id: number;
    order_number: string;
    channel_id: number;
    status: 0 | 1 | 2 | 9 | 3 | 88;
    is_backorder: boolean;
    total_amount: string;
    local_currency_code: string;
    /** In the local currency, exactly. */
    local_total_amount: string;
    /** KRW for one unit, at intake. */
    exchange_rate: string;
    recipient_name: string;
    tracking_number: string | null;
    courier_code: string | null;
    courier_name: string | null;
    /** The parcel on the courier's site; null: no tracking number, or the courier has no tracking URL. */
    tracking_link: string | null;
    cancel_reason: string | null;
    /** ISO 8601 with offset. */
    created_at: string;
    /** When name, phone, address, tracking number and cancellation reason were erased; null: not erased. */
    erased_at: string | null;
    channel_name: string;
    /** Number of lines. */
    item_count: number;
  };
  Mapping: {
    sku: string;
    variant_code: string;
    product_code: string;
    product_name: string;
    power: string | null;
  };
  Order: {
    id: number;
    order_number: string;
    status: number;
    /** Base-currency total, two decimals. */
    total_amount: string;
    recipient_name: string;
    items: Schemas['OrderItem'][];
    /** ISO 8601 with offset. */
    created_at: string;
  };
  OrderDetail: {
    id: number;
    order_number: string;
    channel_id: number;
    status: 0 | 1 | 2 | 9 | 3 | 88;
    is_backorder: boolean;
    total_amount: string;
    local_currency_code: string;
    /** In the local currency, exactly. */
    local_total_amount: string;
    /** KRW for one unit, at intake. */
    exchange_rate: string;
    recipient_name: string;
    tracking_number: string | null;
    courier_code: string | null;
    courier_name: string | null;
    /** The parcel on the courier's site; null: no tracking number, or the courier has no tracking URL. */
    tracking_link: string | null;
    cancel_reason: string | null;
    /** ISO 8601 with offset. */
    created_at: string;
    /** When name, phone, address, tracking number and cancellation reason were erased; null: not erased. */
    erased_at: string | null;
    recipient_phone: string;
    shipping_address: string;
    items: Schemas['OrderLineDetail'][];
    /** Every step, from the intake on. */
    history: Schemas['HistoryStep'][];
    /** Goods that came back, oldest first. */
    returns: Schemas['OrderReturn'][];
    /** What operators wrote down, oldest first. */
    notes: Schemas['OrderNote'][];
  };
  OrderItem: {
    /** The product-level code, not the variant code of the stock list. */
    product_code: string;
    product_name: string;
    quantity: number;
    /** Base-currency unit price, two decimals. */
    unit_price: string;
  };
  OrderLineDetail: {
    /** The number of the line, for returns. */
    line: number;
    product_code: string;
    product_name: string;
    quantity: number;
    unit_price: string;
    /** The channel SKU as ordered. */
    sku: string;
    /** The internal SKU the order was accepted for. */
    variant_code: string;
    /** Exactly as received. */
    local_unit_price: string;
    /** local_line_total × exchange_rate, rounded. */
    line_total: string;
    /** local_unit_price × quantity, exactly. */
    local_line_total: string;
    cancelled_quantity: number;
    /** Shipped, and back in physical stock since. */
    returned_quantity: number;
    /** Drawn from the channel's pre-allocation. */
    from_allocation: number;
  };
  OrderNote: {
    text: string;
    /** `user:<e-mail>`, `token:<name>`, `channel:<id>`, `import` (taken over from another service), `expiry` (not paid in time), …; null: not recorded. */
    actor: string | null;
    /** The name of the account or channel, if it has one. */
    actor_name: string | null;
    /** ISO 8601 with offset. */
    at: string;
  };
  OrderReturn: {
    line: number;
    quantity: number;
    reason: string;
    /** `user:<e-mail>`, `token:<name>`, `channel:<id>`, `import` (taken over from another service), `expiry` (not paid in time), …; null: not recorded. */
    actor: string | null;
    /** The name of the account or channel, if it has one. */
    actor_name: string | null;
    /** ISO 8601 with offset. */
    at: string;
  };
  Product: {
    id: number;
    code: string;
    name: string;
    /** By code. */
    variants: Schemas['ProductVariant'][];
    archived: boolean;
    /** ISO 8601 with offset. */
    created_at: string;
  };
  ProductVariant: {
    id: number;
    code: string;
    power: string | null;
    barcode: string | null;
    /** Texts by name, such as size and colour. */
    attributes: Record<string, string>;
    /** The item is low when its common_available is this or less; null: no warning. */
    low_stock_at: number | null;
    archived: boolean;
    /** ISO 8601 with offset. */
    created_at: string;
  };
  RateLimit: {
    requests_per_minute: number;
    /** Burst size. */
    burst: number;
  };
  RateRun: {
    /** ISO 8601 with offset. */
    at: string;
    kind: string;
    actor: string;
    /** collected: new rates are in effect; unchanged: the source has nothing new; waiting: an operator must decide on a rate. */
    outcome: 'collected' | 'unchanged' | 'waiting' | 'failed';
    /** The day that the source gives its rates for. */
    quoted_on: string | null;
    /** New rates. */
    rates: {
      currency_code: string;
      rate: string;
    }[];
    /** Currencies that the source does not publish. */
    missing: string[];
    /** Why it failed, for people. */
    error: string | null;
    /** Why it failed, for programs. */
    code: string | null;
    details: Record<string, unknown> | null;
  };
  RateSource: {
    /** none: rates are entered by hand; ecb: European Central Bank, daily; koreaexim: Export-Import Bank of Korea, with a key; json: any address. */
    kind: 'none' | 'ecb' | 'koreaexim' | 'json';
    /** null: the usual one. Only administrators see its query, which may contain secrets. */
    url: string | null;
    /** Where this kind is asked unless `url` is set. */
    usual_url: string | null;
    /** Whether a key is stored. It is never shown. */
    has_api_key: boolean;
    currencies: string[];
    every_minutes: number;
    path: string | null;
    per_units: number;
    is_inverted: boolean;
    last_run: Schemas['RateRun'] | null;
    /** null: the source is off. */
    next_run_at: string | null;
    /** The last 20 runs, latest first. */
    runs: Schemas['RateRun'][];
    /** Rates that differ from the one before by more than 20 %: accept or reject them. */
    waiting: {
      currency_code: string;
      /** What the source publishes. */
      rate: string;
      /** The rate in effect when it came. */
      last_rate: string | null;
      quoted_on: string;
      /** ISO 8601 with offset. */
      since: string;
    }[];
  };
  /** The request was refused; nothing was changed. */
  Refusal: {
    error: string;
    code: string;
    /** Facts; which ones depends on the code. */
    details?: Record<string, unknown>;
  };
  RefusedOrder: {
    id: number;
    order_number: string;
    channel_id: number;
    channel_name: string;
    /** sku_unmapped, stock_missing, stock_insufficient, quota_insufficient, limit_exceeded, order_number_taken, channel_inactive, or invalid: not of the required form. */
    reason: string;
    /** The channel SKU at fault. */
    sku: string | null;
    /** How much of it was ordered. */
    requested: number | null;
    /** How much there was: available, of a backorder the rest of the quota, or what a limit of the channel left. */
    available: number | null;
    /** Of `invalid`: the first field at fault. */
    field: string | null;
    is_backorder: boolean;
    /** Lines of the order; null: not known. */
    line_count: number | null;
    /** The X-Request-Id of the last refusal. */
    request_id: string;
    /** How often the order was refused. */
    count: number;
    /** ISO 8601 with offset. */
    first_at: string;
    /** ISO 8601 with offset. */
    at: string;
    /** The order, if it was sent again and accepted; otherwise null. */
    order_id: number | null;
    /** Would the same order be accepted now, by the rules of intake? null: it was accepted, or its lines are not known. */
    fits_now: boolean | null;
    /** What would refuse it now; null where fits_now is not false. */
    blocked_by: {
      /** sku_unmapped, stock_missing, stock_insufficient, quota_insufficient, limit_exceeded, order_number_taken, channel_inactive, or invalid: not of the required form. */
      reason: string;
      /** The channel SKU at fault. */
      sku: string | null;
      /** How much of it was ordered. */
      requested: number | null;
      /** How much there was: available, of a backorder the rest of the quota, or what a limit of the channel left. */
      available: number | null;
      /** The item that the SKU is mapped to now. */
      variant_code: string | null;
    } | null;
  };
  /** Why nothing was changed. */
  RegistrationError: {
    error: string;
    code:
      | 'product_not_found'
      | 'option_configuration'
      | 'nothing_to_apply'
      | 'api_url_missing'
      | 'key_closed'
      | 'channel_failed';
    /** Facts; a failed call has more, by its reason: `status`, `timeout_ms`, `error_code`, … */
    details?: {
      /** Every fault, as a text. */
      errors?: string[];
      /** The same, as facts. */
      violations?: {
        /** `power_missing`, `code_differs`, `variant_taken`, … */
        code: string;
        /** Positions among `options`; none where the whole product is concerned. */
        rows: number[];
        /** Facts; which ones depends on the code. */
        details: {
          power?: string;
          option_codes?: string[];
          group?: string;
          side?: 'left' | 'right';
          /** The group that has the power. */
          in_group?: string;
          /** The same value in another notation, in the group that lacks the power. */
          written_as?: string;
          times?: number;
          powers?: string[];
          is_set?: boolean;
          variant_code?: string;
          product_code?: string;
          characters?: number;
          characters_max?: number;
          groups_max?: number;
        };
      }[];
      /** How the call of the channel failed. */
      reason?:
        | 'bad_url'
        | 'address_not_allowed'
        | 'timeout'
        | 'refused'
        | 'unreachable'
        | 'tls'
        | 'redirect'
        | 'http_status'
        | 'too_large'
        | 'not_json'
        | 'wrong_shape'
        | 'not_found';
      host?: string;
    };
  };
  Session: {
    id: number;
    user: {
      id: number;
      email: string;
      name: string | null;
    };
    /** Of the last request, to the minute. */
    address: string | null;
    /** Of the browser that signed in. */
    user_agent: string | null;
    /** ISO 8601 with offset. */
    created_at: string;
    /** Of the last request, to the minute. */
    last_seen_at: string;
    /** The latest end; it ends earlier after 30 minutes without a request. */
    expires_at: string;
    /** The session of this request. */
    is_current: boolean;
  };
  SignedIn: {
    /** null: a token. */
    user: {
      id: number;
      email: string;
      name: string | null;
      role: 'viewer' | 'operator' | 'admin';
    } | null;
    role: 'viewer' | 'operator' | 'admin';
    /** The account's name, its e-mail, or the token's name. */
    name: string;
    /** Until it is changed, all routes except /session return 403. */
    must_change_password: boolean;
    /** false: a token, or an account that signs in at the OpenID provider alone. */
    has_password: boolean;
    /** Two-step sign-in is on for the account. */
    has_second_factor: boolean;
    /** It is required and not on: until it is, all routes except /session return 403. */
    must_set_up_second_factor: boolean;
    /** For X-CSRF-Token; null: a token needs none. */
    csrf_token: string | null;
    timezone: string;
    version: string;
    /** The latest end of the session; it ends earlier after 30 minutes without a request. */
    expires_at: string | null;
  };
  SigningSecret: {
    id: number;
    /** ISO 8601 with offset. */
    created_at: string;
    /** When it last signed a request, to the minute; null: never. */
    last_used_at: string | null;
  };
  StatusConflict: {
    error: string;
    /** invalid_transition is final; insufficient_stock can succeed once stock was added. */
    code: 'invalid_transition' | 'insufficient_stock';
    current_status: number;
    requested_status: number;
    /** Both statuses; of `insufficient_stock` also `sku`, `requested` and `available`. */
    details: Record<string, unknown>;
  };
  StatusReport: {
    /** 0 pre-payment, 1 paid, 2 product preparation, 9 shipping preparation, 3 shipped, 88 cancelled. */
    status: 0 | 1 | 2 | 9 | 3 | 88;
    /** Required when status is 3; with any other status it is not kept. */
    tracking_number?: string | null;
    /** A code of the group DELIVERY_COMPANY; any other leaves only the tracking number. */
    courier_code?: string | null;
    /** Why the order was cancelled. */
    reason?: string | null;
  };
  StockDetail: {
    variant_code: string;
    /** Physical stock. */
    quantity: number;
    /** Quantity of unshipped normal orders. */
    unshipped: number;
    /** Sum of all pre-allocations. */
    allocated: number;
    /** Sum of all accepted backorders. */
    backordered: number;
    /** Available to every channel, at least 0. */
    common_available: number;
    /** By how much unshipped normal orders and pre-allocations exceed the physical stock, 0 if they fit. Channels are never offered more than the physical stock. */
    overcommitted_by: number;
    /** Channels that map the variant or have an allocation of it. */
    channels: {
      channel_id: number;
      name: string;
      allocated_qty: number;
      reserve_quota: number;
      backordered_qty: number;
      available: number;
      reserve_remaining: number;
    }[];
    product_code: string;
    product_name: string;
    power: string | null;
    barcode: string | null;
    /** Texts by name, such as size and colour. */
    attributes: Record<string, string>;
    /** The item is low when its common_available is this or less; null: no warning. */
    low_stock_at: number | null;
    /** The variant itself, or its product. */
    archived: boolean;
    /** The channel SKUs mapped to it. */
    skus: {
      channel_id: number;
      sku: string;
    }[];
  };
  /** The file has problems, and nothing was written. */
  StockImportRefusal: {
    error: string;
    code: 'invalid_file';
    details: {
      error_count: number;
    };
    data: {
      /** Rows of the file, whether they changed something or not; 0 with any problem, and for a header alone. */
      count: number;
      /** The first 200. With any, nothing is written. */
      problems: {
        line: number;
        /** null: the row as a whole. */
        column: string | null;
        /** `variant_unknown`, `not_a_quantity`, `count_outdated`, … */
        code: string;
        /** Which ones depends on the code. */
        details: Record<string, unknown>;
        text: string;
      }[];
      problem_count: number;
      /** Of a dry run: every row without a problem. */
      rows?: {
        line: number;
        variant_code: string;
        /** null: no stock record yet. */
        before: number | null;
        after: number;
        /** Goods that moved after the count, part of `after`. */
        moved_since: number;
        /** By how much unshipped orders and pre-allocations exceed `after`. */
        overcommitted_by: number;
      }[];
      /** For the undo; null: nothing was written. */
      import_id?: number | null;
    };
  };
  StockItem: {
    variant_code: string;
    product_code: string;
    product_name: string;
    power: string | null;
    barcode: string | null;
    /** Texts by name, such as size and colour. */
    attributes: Record<string, string>;
    /** The item is low when its common_available is this or less; null: no warning. */
    low_stock_at: number | null;
    /** The variant itself, or its product. */
    archived: boolean;
    /** Physical stock. */
    quantity: number;
    /** Quantity of unshipped normal orders. */
    unshipped: number;
    /** Sum of all pre-allocations. */
    allocated: number;
    /** Sum of all accepted backorders. */
    backordered: number;
    /** Available to every channel, at least 0. */
    common_available: number;
    /** By how much unshipped normal orders and pre-allocations exceed the physical stock, 0 if they fit. Channels are never offered more than the physical stock. */
    overcommitted_by: number;
  };
  StockMovement: {
    id: number;
    delta: number;
    quantity_after: number;
    /** set, adjustment, shipment, import or return. */
    kind: string;
    order_id: number | null;
    order_number: string | null;
    actor: string;
    /** Of an account or a channel; null: none. */
    actor_name: string | null;
    reason: string | null;
    /** ISO 8601 with offset. */
    at: string;
  };
  Token: {
    id: number;
    name: string;
    role: 'viewer' | 'operator' | 'admin';
    /** ISO 8601 with offset. */
    created_at: string;
    revoked_at: string | null;
    last_used_at: string | null;
    /** null: valid until revoked. */
    expires_at: string | null;
    /** Who created it, as in the audit log; null: not recorded. */
    created_by: string | null;
  };
  TokenWithSecret: {
    id: number;
    name: string;
    role: 'viewer' | 'operator' | 'admin';
    /** ISO 8601 with offset. */
    created_at: string;
    revoked_at: string | null;
    last_used_at: string | null;
    /** null: valid until revoked. */
    expires_at: string | null;
    /** Who created it, as in the audit log; null: not recorded. */
    created_by: string | null;
    /** Shown only once: store it. */
    token: string;
  };
  User: {
    id: number;
    email: string;
    name: string | null;
    role: 'viewer' | 'operator' | 'admin';
    is_active: boolean;
    must_change_password: boolean;
    /** For this account; its role may require it too. */
    second_factor_required: boolean;
    /** Two-step sign-in is on. */
    has_second_factor: boolean;
    /** false: it signs in at the OpenID provider alone. */
    has_password: boolean;
    /** ISO 8601 with offset. */
    created_at: string;
    last_sign_in_at: string | null;
  };
  UserWithPassword: {
    id: number;
    email: string;
    name: string | null;
    role: 'viewer' | 'operator' | 'admin';
    is_active: boolean;
    must_change_password: boolean;
    /** For this account; its role may require it too. */
    second_factor_required: boolean;
    /** Two-step sign-in is on. */
    has_second_factor: boolean;
    /** false: it signs in at the OpenID provider alone. */
    has_password: boolean;
    /** ISO 8601 with offset. */
    created_at: string;
    last_sign_in_at: string | null;
    /** For the first sign-in; shown only once. */
    password: string;
  };
  Variant: {
    id: number;
    code: string;
    product_code: string;
    product_name: string;
    power: string | null;
    barcode: string | null;
    /** Texts by name, such as size and colour. */
    attributes: Record<string, string>;
    /** The item is low when its common_available is this or less; null: no warning. */
    low_stock_at: number | null;
    /** Whether it has a stock record. */
    has_stock: boolean;
    /** The variant itself, or its product. */
    archived: boolean;
    /** ISO 8601 with offset. */
    created_at: string;
  };
  Webhook: {
    id: number;
    /** Viewers see it without its query. */
    url: string;
    /** Which events are sent. */
    events: ('order.accepted' | 'order.status_changed' | 'alert.opened' | 'alert.closed')[];
    description: string;
    /** false: paused. Events are kept and sent when it is resumed. */
    is_active: boolean;
    /** true: recipient, phone, address, tracking number and cancellation reason are in the data of orders. */
    include_personal_data: boolean;
    /** `failing`: no success for three days; `gone`: it answered 410; null: not paused by the service. */
    pause_reason: string | null;
    /** null: not paused. */
    paused_at: string | null;
    /** Failed attempts since the last success. */
    failures: number;
    /** The first of them. */
    failing_since: string | null;
    /** It keeps failing: no attempt before. */
    retry_at: string | null;
    /** null: none yet. */
    last_success_at: string | null;
    /** Deliveries that wait. */
    pending_count: number;
    /** Until then deliveries are signed with the secret before, too. */
    previous_secret_expires_at: string | null;
    /** ISO 8601 with offset. */
    created_at: string;
  };
  WebhookDelivery: {
    id: number;
    webhook_id: number;
    /** The header webhook-id, the same in every attempt. */
    message_id: string;
    type: string;
    /** null: not about an order. */
    order_id: number | null;
    /** null: not about an alert. */
    alert_id: number | null;
    state: 'pending' | 'delivered' | 'failed';
    attempts: number;
    /** null: none is due. */
    next_attempt_at: string | null;
    /** null: not tried yet. */
    last_attempt_at: string | null;
    /** null: no answer. */
    response_status: number | null;
    /** The beginning of an answer that was not a success. */
    response_text: string | null;
    /** Why there was no answer: `timeout`, `refused`, `address_not_allowed`, … */
    failure: string | null;
    /** Of the last attempt. */
    duration_ms: number | null;
    /** ISO 8601 with offset. */
    created_at: string;
    /** What is sent, as of now; without personal data. */
    payload: Record<string, unknown>;
  };
  WebhookWithSecret: {
    id: number;
    /** Viewers see it without its query. */
    url: string;
    /** Which events are sent. */
    events: ('order.accepted' | 'order.status_changed' | 'alert.opened' | 'alert.closed')[];
    description: string;
    /** false: paused. Events are kept and sent when it is resumed. */
    is_active: boolean;
    /** true: recipient, phone, address, tracking number and cancellation reason are in the data of orders. */
    include_personal_data: boolean;
    /** `failing`: no success for three days; `gone`: it answered 410; null: not paused by the service. */
    pause_reason: string | null;
    /** null: not paused. */
    paused_at: string | null;
    /** Failed attempts since the last success. */
    failures: number;
    /** The first of them. */
    failing_since: string | null;
    /** It keeps failing: no attempt before. */
    retry_at: string | null;
    /** null: none yet. */
    last_success_at: string | null;
    /** Deliveries that wait. */
    pending_count: number;
    /** Until then deliveries are signed with the secret before, too. */
    previous_secret_expires_at: string | null;
    /** ISO 8601 with offset. */
    created_at: string;
    /** Shown only once: store it. */
    secret: string;
  };
}

export interface Operations {
  /** POST /session */
  postSession: {
    body: {
      email: string;
      password: string;
      /** With two-step sign-in: a code of the app, or a recovery code. */
      code?: string | null;
    };
    answers: {
      '200': {
        data: Schemas['SignedIn'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /session */
  getSession: {
    answers: {
      '200': {
        data: Schemas['SignedIn'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** DELETE /session */
  deleteSession: {
    answers: {
      '204': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PUT /session/password */
  putSessionPassword: {
    body: {
      current_password: string;
      /** 12 to 200 characters; not easy to guess, different from the e-mail and the current password. */
      new_password: string;
    };
    answers: {
      '200': {
        data: Schemas['SignedIn'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /sessions */
  getSessions: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
    };
    answers: {
      '200': {
        data: Schemas['Session'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** DELETE /sessions */
  deleteSessions: {
    answers: {
      '204': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /sessions/{id} */
  getSessionsById: {
    path: {
      /** The session id. */
      id: string;
    };
    answers: {
      '200': {
        data: Schemas['Session'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** DELETE /sessions/{id} */
  deleteSessionsById: {
    path: {
      /** The session id. */
      id: string;
    };
    answers: {
      '204': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /session/second-factor */
  getSessionSecondFactor: {
    answers: {
      '200': {
        data: {
          is_active: boolean;
          /** It cannot be turned off. */
          is_required: boolean;
          recovery_codes_left: number;
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /session/second-factor */
  postSessionSecondFactor: {
    body: {
      current_password: string;
    };
    answers: {
      '201': {
        data: {
          /** For typing into the app; base32. */
          secret: string;
          /** For a QR code: otpauth://totp/… */
          uri: string;
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PUT /session/second-factor */
  putSessionSecondFactor: {
    body: {
      code: string;
    };
    answers: {
      '200': {
        data: {
          /** Shown only once; each works once. */
          recovery_codes: string[];
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /session/second-factor/recovery-codes */
  postSessionSecondFactorRecoveryCodes: {
    body: {
      current_password: string;
    };
    answers: {
      '201': {
        data: {
          /** Shown only once; each works once. */
          recovery_codes: string[];
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /session/second-factor/remove */
  postSessionSecondFactorRemove: {
    body: {
      current_password: string;
    };
    answers: {
      '204': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /second-factor-rule */
  getSecondFactorRule: {
    answers: {
      '200': {
        data: {
          roles: ('viewer' | 'operator' | 'admin')[];
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PUT /second-factor-rule */
  putSecondFactorRule: {
    body: {
      roles: ('viewer' | 'operator' | 'admin')[];
    };
    answers: {
      '200': {
        data: {
          roles: ('viewer' | 'operator' | 'admin')[];
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /channels */
  getChannels: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      /** true: what is archived instead of what is in use. */
      archived?: boolean;
    };
    answers: {
      '200': {
        data: Schemas['Channel'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /channels */
  postChannels: {
    body: {
      name: string;
      /** ISO 3166-1 alpha-2; it determines the currency of orders. Unset means KRW. */
      country_code?: string | null;
      /** Where product information is fetched from. */
      api_url?: string | null;
      /** An inactive channel cannot authenticate. Default true. */
      is_active?: boolean | null;
      /** Required prefix of the order numbers of the channel. Unset: none. */
      order_number_prefix?: string | null;
      /** Addresses and CIDR ranges from which the key may be used; from elsewhere it is refused like an unknown key. Empty or null: from anywhere. */
      allowed_addresses?: string[] | null;
      /** Orders that stay in the pre-payment status for so long are cancelled by the service. Unset: never. */
      prepayment_expiry_minutes?: number | null;
    };
    answers: {
      '201': {
        data: Schemas['ChannelWithKey'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /channels/{id} */
  getChannelsById: {
    path: {
      /** The channel id. */
      id: string;
    };
    answers: {
      '200': {
        data: Schemas['Channel'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PATCH /channels/{id} */
  patchChannelsById: {
    path: {
      /** The channel id. */
      id: string;
    };
    body: {
      name?: string;
      /** ISO 3166-1 alpha-2; it determines the currency of orders. Unset means KRW. */
      country_code?: string | null;
      /** Where product information is fetched from. */
      api_url?: string | null;
      /** An inactive channel cannot authenticate. Default true. */
      is_active?: boolean | null;
      /** Required prefix of the order numbers of the channel. Unset: none. */
      order_number_prefix?: string | null;
      /** Addresses and CIDR ranges from which the key may be used; from elsewhere it is refused like an unknown key. Empty or null: from anywhere. */
      allowed_addresses?: string[] | null;
      /** Orders that stay in the pre-payment status for so long are cancelled by the service. Unset: never. */
      prepayment_expiry_minutes?: number | null;
      /** Logs and lists every request of the channel until this time, at most 24 hours ahead; null: stop. */
      trace_until?: string | null;
      /** true: inactive and out of the lists; 409 while it holds pre-allocations. Its orders stay, and false brings it back, inactive. */
      archived?: boolean | null;
    };
    answers: {
      '200': {
        data: Schemas['Channel'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PUT /channels/{id}/rate-limit */
  putChannelsByIdRateLimit: {
    path: {
      /** The channel id. */
      id: string;
    };
    body: {
      /** null: no limit. */
      requests_per_minute: number | null;
      /** Burst size; required with a limit. */
      burst?: number | null;
    };
    answers: {
      '200': {
        data: Schemas['Channel'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PUT /channels/{id}/signing */
  putChannelsByIdSigning: {
    path: {
      /** The channel id. */
      id: string;
    };
    body: {
      /** off: signatures are ignored; accepted: a signature must be valid if sent; required: every request must be signed. */
      mode: 'off' | 'accepted' | 'required';
    };
    answers: {
      '200': {
        data: Schemas['Channel'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /channels/{id}/limits */
  getChannelsByIdLimits: {
    path: {
      /** The channel id. */
      id: string;
    };
    answers: {
      '200': {
        data: Schemas['ChannelLimits'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PUT /channels/{id}/limits */
  putChannelsByIdLimits: {
    path: {
      /** The channel id. */
      id: string;
    };
    body: {
      /** The largest quantity of one line. null: no limit. */
      line_quantity_max?: number | null;
      /** How much of an item unpaid orders (status 0) may hold together; backorders hold none. null: no limit. */
      unpaid_quantity_max?: number | null;
      /** The same in percent of the physical stock of the item that is not pre-allocated. null: no limit. */
      unpaid_percent_max?: number | null;
      /** Open backorders of an item for which the channel has no quota. null: no limit. */
      backordered_quantity_max?: number | null;
    };
    answers: {
      '200': {
        data: Schemas['ChannelLimits'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /countries */
  getCountries: {
    answers: {
      '200': {
        data: {
          country_code: string;
          currency_code: string;
        }[];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /products */
  getProducts: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      /** Part of a code or name, in any case, or a whole barcode. */
      search?: string;
      /** true: what is archived instead of what is in use. */
      archived?: boolean;
    };
    answers: {
      '200': {
        data: Schemas['Product'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /products */
  postProducts: {
    body: {
      /** Unique among all products. */
      code: string;
      name: string;
      variants?:
        | {
            /** Unique among all variants. */
            code: string;
            /** Dioptre value, if the product has one. */
            power?: string | null;
          }[]
        | null;
    };
    answers: {
      '201': {
        data: Schemas['Product'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /products/{code} */
  getProductsByCode: {
    path: {
      /** The product code. */
      code: string;
    };
    answers: {
      '200': {
        data: Schemas['Product'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PATCH /products/{code} */
  patchProductsByCode: {
    path: {
      /** The product code. */
      code: string;
    };
    body: {
      name?: string;
      /** true: out of the lists, with its variants; 409 while one of them is mapped or has stock, open orders or allocations. Orders keep it, and false brings it back. */
      archived?: boolean | null;
    };
    answers: {
      '200': {
        data: Schemas['Product'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /products/{code}/variants */
  postProductsByCodeVariants: {
    path: {
      /** The product code. */
      code: string;
    };
    body: {
      /** Unique among all variants. */
      code: string;
      /** Dioptre value, if the product has one. */
      power?: string | null;
    };
    answers: {
      '201': {
        data: Schemas['ProductVariant'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /variants */
  getVariants: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      /** Part of a code or name, in any case, or a whole barcode. */
      search?: string;
      /** true: only variants without a stock record; false: only those with one. */
      without_stock?: boolean;
      /** true: what is archived instead of what is in use. */
      archived?: boolean;
    };
    answers: {
      '200': {
        data: Schemas['Variant'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /variants/{code} */
  getVariantsByCode: {
    path: {
      /** The variant code. */
      code: string;
    };
    answers: {
      '200': {
        data: Schemas['Variant'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PATCH /variants/{code} */
  patchVariantsByCode: {
    path: {
      /** The variant code. */
      code: string;
    };
    body: {
      /** Dioptre value; null: none. */
      power?: string | null;
      /** Unique among all variants; 409 otherwise. null: none. */
      barcode?: string | null;
      /** Replaces all of them: texts by name, such as size and colour; at most 20. */
      attributes?: Record<string, string> | null;
      /** null: no warning. */
      low_stock_at?: number | null;
      /** true: out of the lists; 409 while it is mapped or has stock, open orders or allocations. Orders keep it, and false brings it back. */
      archived?: boolean | null;
    };
    answers: {
      '200': {
        data: Schemas['Variant'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /channels/{id}/mappings */
  getChannelsByIdMappings: {
    path: {
      /** The channel id. */
      id: string;
    };
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      /** Part of a code or name, in any case, or a whole barcode. */
      search?: string;
    };
    answers: {
      '200': {
        data: Schemas['Mapping'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PUT /channels/{id}/mappings */
  putChannelsByIdMappings: {
    path: {
      /** The channel id. */
      id: string;
    };
    body: {
      /** Added or replaced; others stay unchanged. */
      mappings: {
        sku: string;
        variant_code: string;
      }[];
    };
    answers: {
      '200': {
        data: {
          count: number;
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /mappings */
  getMappings: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      /** Part of the SKU, in any case. */
      search: string;
    };
    answers: {
      '200': {
        data: {
          channel_id: number;
          channel_name: string;
          sku: string;
          variant_code: string;
          product_code: string;
          product_name: string;
          power: string | null;
        }[];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** DELETE /channels/{id}/mappings/{sku} */
  deleteChannelsByIdMappingsBySku: {
    path: {
      /** The channel id. */
      id: string;
      /** The channel SKU. */
      sku: string;
    };
    answers: {
      '204': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /channels/{id}/mappings/remove */
  postChannelsByIdMappingsRemove: {
    path: {
      /** The channel id. */
      id: string;
    };
    body: {
      skus: string[];
    };
    answers: {
      '200': {
        data: {
          /** What was mapped; as `mappings` of PUT it brings them back. */
          removed: {
            sku: string;
            variant_code: string;
          }[];
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /channels/{id}/mappings/import */
  postChannelsByIdMappingsImport: {
    path: {
      /** The channel id. */
      id: string;
    };
    body: {
      /** Separated by commas, with the header sku,variant_code. SKUs that are not in the file stay unchanged. In a file with the column sluice_export, as the export has, the apostrophe before a formula is removed. */
      csv: string;
      /** Check only, change nothing. */
      dry_run?: boolean | null;
      /** Take values that look like mistakes as they are, such as the SKU `1E+05`. */
      as_written?: boolean | null;
    };
    answers: {
      '200': {
        data: {
          /** Without the header; 0 if the file cannot be read completely. */
          rows: number;
          created: number;
          replaced: number;
          unchanged: number;
          /** The first 200. */
          errors: {
            line: number;
            /** null: the row as a whole. */
            column: string | null;
            /** `variant_unknown`, `sku_repeated`, `value_missing`, … */
            code: string;
            /** Which ones depends on the code. */
            details: Record<string, unknown>;
            message: string;
          }[];
          /** Total number of errors. With any, nothing is applied. */
          error_count: number;
          applied: boolean;
          /** The first 50 rows that change something. */
          sample: {
            sku: string;
            variant_code: string;
            /** The previous variant; null: a new SKU. */
            before: string | null;
          }[];
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['ImportRefusal'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /channels/{id}/mappings/export */
  getChannelsByIdMappingsExport: {
    path: {
      /** The channel id. */
      id: string;
    };
    answers: {
      '200': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /stock */
  getStock: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      /** Part of a code or name, in any case, or a whole barcode. */
      search?: string;
      /** Only items with common_available below this. */
      below?: number;
      /** true: only items with common_available at low_stock_at or below. */
      low?: boolean;
      /** true: only items with overcommitted_by above 0. */
      overcommitted?: boolean;
      /** true: what is archived instead of what is in use. */
      archived?: boolean;
    };
    answers: {
      '200': {
        data: Schemas['StockItem'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /stock/{variant_code} */
  getStockByVariantCode: {
    path: {
      /** The variant code. */
      variant_code: string;
    };
    answers: {
      '200': {
        data: Schemas['StockDetail'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PUT /stock/{variant_code} */
  putStockByVariantCode: {
    path: {
      /** The variant code. */
      variant_code: string;
    };
    body: {
      /** Physical stock as counted. */
      quantity: number;
      reason?: string | null;
      /** The quantity you expect; 409 if it has changed. */
      expected_quantity?: number | null;
      /** When it was counted, ISO 8601 with offset; default now. Shipments, returns and adjustments since then are added to the count. 409 if the variant was counted later. */
      counted_at?: string | null;
    };
    answers: {
      '200': {
        data: Schemas['StockDetail'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /stock/{variant_code}/adjustments */
  postStockByVariantCodeAdjustments: {
    path: {
      /** The variant code. */
      variant_code: string;
    };
    body: {
      /** Added to the physical stock; not 0. */
      delta: number;
      reason: string;
    };
    answers: {
      '200': {
        data: Schemas['StockDetail'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /stock/{variant_code}/movements */
  getStockByVariantCodeMovements: {
    path: {
      /** The variant code. */
      variant_code: string;
    };
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
    };
    answers: {
      '200': {
        data: Schemas['StockMovement'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /stock/import */
  postStockImport: {
    body: {
      /** Separated by commas, with the header variant_code,quantity; at most 10000 rows. Missing stock rows are created. */
      csv: string;
      /** `set`: the quantities are counts. `add`: they are added, as for a delivery. `subtract`: they are taken out. */
      mode: 'set' | 'add' | 'subtract';
      /** For the ledger and the audit log. */
      reason: string;
      /** With mode `set`: when it was counted, ISO 8601 with offset; default now. Shipments, returns and adjustments since then are added to the count. A variant that was counted later is a problem of its row. */
      counted_at?: string | null;
      /** Check only, change nothing; the answer has `rows`. */
      dry_run?: boolean | null;
      /** Take values that look like mistakes as they are, such as the SKU `1E+05`. */
      as_written?: boolean | null;
    };
    answers: {
      '200': {
        data: {
          /** Rows of the file, whether they changed something or not; 0 with any problem, and for a header alone. */
          count: number;
          /** The first 200. With any, nothing is written. */
          problems: {
            line: number;
            /** null: the row as a whole. */
            column: string | null;
            /** `variant_unknown`, `not_a_quantity`, `count_outdated`, … */
            code: string;
            /** Which ones depends on the code. */
            details: Record<string, unknown>;
            text: string;
          }[];
          problem_count: number;
          /** Of a dry run: every row without a problem. */
          rows?: {
            line: number;
            variant_code: string;
            /** null: no stock record yet. */
            before: number | null;
            after: number;
            /** Goods that moved after the count, part of `after`. */
            moved_since: number;
            /** By how much unshipped orders and pre-allocations exceed `after`. */
            overcommitted_by: number;
          }[];
          /** For the undo; null: nothing was written. */
          import_id?: number | null;
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['StockImportRefusal'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /stock/imports/{import_id}/undo */
  postStockImportsByImportIdUndo: {
    path: {
      /** `import_id` of the answer to the import. */
      import_id: string;
    };
    body: {
      /** For the ledger and the audit log. */
      reason: string;
    };
    answers: {
      '200': {
        data: {
          /** Quantities that were changed back. */
          count: number;
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /stock/export */
  getStockExport: {
    answers: {
      '200': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /stock/{variant_code}/orders */
  getStockByVariantCodeOrders: {
    path: {
      /** The variant code. */
      variant_code: string;
    };
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
    };
    answers: {
      '200': {
        data: {
          id: number;
          order_number: string;
          channel_id: number;
          channel_name: string;
          status: 0 | 1 | 2 | 9 | 3 | 88;
          is_backorder: boolean;
          /** Sum of this item over all lines. */
          quantity: number;
          /** Of it, drawn from the channel's pre-allocation. */
          from_allocation: number;
          /** ISO 8601 with offset. */
          created_at: string;
        }[];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /channels/{id}/allocations */
  getChannelsByIdAllocations: {
    path: {
      /** The channel id. */
      id: string;
    };
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
    };
    answers: {
      '200': {
        data: Schemas['Allocation'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PUT /channels/{id}/allocations/{variant_code} */
  putChannelsByIdAllocationsByVariantCode: {
    path: {
      /** The channel id. */
      id: string;
      /** The variant code. */
      variant_code: string;
    };
    body: {
      /** The live remainder from now on; open orders have drawn theirs already. */
      allocated_qty: number;
      /** Backorder quota; 0 means no limit. */
      reserve_quota: number;
      /** The value you expect, 0 without an allocation; 409 if it has changed. */
      expected_allocated_qty?: number | null;
      /** The value you expect, 0 without an allocation; 409 if it has changed. */
      expected_reserve_quota?: number | null;
    };
    answers: {
      '200': {
        data: Schemas['Allocation'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PUT /allocations */
  putAllocations: {
    body: {
      changes: {
        channel_id: number;
        variant_code: string;
        allocated_qty: number;
        reserve_quota: number;
        /** The value you expect, 0 without an allocation; 409 if it has changed. */
        expected_allocated_qty?: number | null;
        /** The value you expect, 0 without an allocation; 409 if it has changed. */
        expected_reserve_quota?: number | null;
      }[];
      /** Answers what the result would be, and changes nothing. */
      dry_run?: boolean | null;
    };
    answers: {
      '200': {
        data: Schemas['Allocation'][];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /allocations */
  getAllocations: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      /** Part of a code or name, in any case, or a whole barcode. */
      search?: string;
      /** Only items that this channel maps or has an allocation of. */
      channel_id?: number;
    };
    answers: {
      '200': {
        data: {
          variant_code: string;
          product_code: string;
          product_name: string;
          power: string | null;
          barcode: string | null;
          /** Texts by name, such as size and colour. */
          attributes: Record<string, string>;
          /** The item is low when its common_available is this or less; null: no warning. */
          low_stock_at: number | null;
          /** The variant itself, or its product. */
          archived: boolean;
          /** Physical stock. */
          quantity: number;
          /** Quantity of unshipped normal orders. */
          unshipped: number;
          /** Sum of all pre-allocations. */
          allocated: number;
          /** Sum of all accepted backorders. */
          backordered: number;
          /** Available to every channel, at least 0. */
          common_available: number;
          /** By how much unshipped normal orders and pre-allocations exceed the physical stock, 0 if they fit. Channels are never offered more than the physical stock. */
          overcommitted_by: number;
          /** The channels that map the item or have an allocation of it. */
          cells: {
            channel_id: number;
            allocated_qty: number;
            reserve_quota: number;
            backordered_qty: number;
            available: number;
            reserve_remaining: number;
            /** False: an allocation without a mapped SKU of the channel. */
            is_mapped: boolean;
          }[];
        }[];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /allocations/transfers */
  postAllocationsTransfers: {
    body: {
      variant_code: string;
      from_channel_id: number;
      to_channel_id: number;
      quantity: number;
    };
    answers: {
      '200': {
        data: Schemas['Allocation'][];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /allocations/import */
  postAllocationsImport: {
    body: {
      /** Separated by commas, with the header channel_id,variant_code,allocated_qty,reserve_quota; at most 2000 rows. Allocations that are not in the file stay unchanged. */
      csv: string;
      /** Answers what the result would be, and changes nothing. */
      dry_run?: boolean | null;
      /** Take values that look like mistakes as they are, such as the SKU `1E+05`. */
      as_written?: boolean | null;
    };
    answers: {
      '200': {
        data: {
          /** Rows of the file, whether they changed something or not; 0 with any problem, and for a header alone. */
          count: number;
          /** The first 200. With any, nothing is written. */
          problems: {
            line: number;
            /** null: the row as a whole. */
            column: string | null;
            /** `variant_unknown`, `channel_unknown`, `stock_missing`, … */
            code: string;
            /** Which ones depends on the code. */
            details: Record<string, unknown>;
            text: string;
          }[];
          problem_count: number;
          /** One element for each row, as all rows together leave it. */
          rows: Schemas['Allocation'][];
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['AllocationImportRefusal'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /allocations/export */
  getAllocationsExport: {
    answers: {
      '200': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /exchange-rates */
  getExchangeRates: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      currency_code?: string;
    };
    answers: {
      '200': {
        data: Schemas['ExchangeRate'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /exchange-rates */
  postExchangeRates: {
    body: {
      /** ISO 4217; not KRW, which is always 1. */
      currency_code: string;
      /** KRW for one unit: above 0, below 10^9, at most 12 decimals. */
      rate: string | number;
      /** ISO 8601 with offset; default: now. */
      effective_at?: string | null;
    };
    answers: {
      '201': {
        data: Schemas['ExchangeRate'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** DELETE /exchange-rates/{id} */
  deleteExchangeRatesById: {
    path: {
      /** The exchange rate id. */
      id: string;
    };
    answers: {
      '204': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /exchange-rates/current */
  getExchangeRatesCurrent: {
    answers: {
      '200': {
        data: {
          /** ISO 8601 with offset. */
          now: string;
          rates: {
            currency_code: string;
            /** A decimal string, exactly as entered. */
            rate: string;
            /** ISO 8601 with offset. */
            effective_at: string;
            /** The next scheduled rate. */
            next: {
              /** A decimal string, exactly as entered. */
              rate: string;
              /** ISO 8601 with offset. */
              effective_at: string;
            } | null;
            /** Active channels with this currency. */
            channels: {
              id: number;
              name: string;
            }[];
          }[];
          /** Currencies without a rate in effect: amounts of their orders are recorded as 0. */
          missing: {
            currency_code: string;
            /** The next scheduled rate. */
            next: {
              /** A decimal string, exactly as entered. */
              rate: string;
              /** ISO 8601 with offset. */
              effective_at: string;
            } | null;
            /** Active channels with this currency. */
            channels: {
              id: number;
              name: string;
            }[];
          }[];
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /common-codes/{group} */
  getCommonCodesByGroup: {
    path: {
      /** The code group, e.g. DELIVERY_COMPANY. */
      group: string;
    };
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
    };
    answers: {
      '200': {
        data: Schemas['CommonCode'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PUT /common-codes/{group}/{code} */
  putCommonCodesByGroupByCode: {
    path: {
      group: string;
      code: string;
    };
    body: {
      name: string;
      /** Of a courier: the http(s) address of a parcel, with {tracking_number} in it. null removes it; absent: as it is. */
      tracking_url?: string | null;
      /** Other names of a courier, as in the files of carriers. Absent: as they are. */
      aliases?: string[];
    };
    answers: {
      '200': {
        data: Schemas['CommonCode'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** DELETE /common-codes/{group}/{code} */
  deleteCommonCodesByGroupByCode: {
    path: {
      /** The code group, e.g. DELIVERY_COMPANY. */
      group: string;
      /** The code. */
      code: string;
    };
    answers: {
      '204': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /audit */
  getAudit: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      /** Only changes of this subject (exact match). */
      subject?: string;
      /** Only changes by this actor (exact match). */
      actor?: string;
      /** Only this action, or all actions with this prefix before the dot. */
      action?: string;
      /** Changed at this time or later; a date counts from its start in the configured time zone. */
      from?: string;
      /** Changed before this time; a date includes the whole day. */
      to?: string;
    };
    answers: {
      '200': {
        data: Schemas['AuditEntry'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /orders */
  getOrders: {
    query: {
      /** Part of an order number, recipient, phone number (digits; separators do not matter), tracking number, channel SKU or variant code, in any case. At least 3 characters, or 2 if one is not ASCII. Viewers search order numbers and codes only. */
      search?: string;
      channel_id?: number;
      /** Any of 0, 1, 2, 9, 3, 88; several with commas, or repeated. */
      status?: string | string[];
      /** Exact match. */
      order_number?: string;
      /** Accepted at this time or later (included); a date counts from its start in the configured time zone. */
      from?: string;
      /** Accepted before this time, which is not included; a date includes the whole day. */
      to?: string;
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      /** One of created_at, -created_at, order_number, -order_number, total_amount, -total_amount, recipient_name, -recipient_name; `-` is descending; -created_at by default. Other sorts are possible where at most 10000 orders match. Viewers cannot sort by recipient. */
      sort?: string;
    };
    answers: {
      '200': {
        data: Schemas['ListedOrder'][];
        next_cursor: string | null;
        /** With `search`: orders and shipments up to this time can be found; null: the index is being built. A whole order number is always found. */
        indexed_until?: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /orders/totals */
  getOrdersTotals: {
    query: {
      /** Part of an order number, recipient, phone number (digits; separators do not matter), tracking number, channel SKU or variant code, in any case. At least 3 characters, or 2 if one is not ASCII. Viewers search order numbers and codes only. */
      search?: string;
      channel_id?: number;
      /** Any of 0, 1, 2, 9, 3, 88; several with commas, or repeated. */
      status?: string | string[];
      /** Exact match. */
      order_number?: string;
      /** Accepted at this time or later (included); a date counts from its start in the configured time zone. */
      from?: string;
      /** Accepted before this time, which is not included; a date includes the whole day. */
      to?: string;
    };
    answers: {
      '200': {
        data: {
          count: number;
          total_amount: string;
          /** False: there are more; at most 100000 are counted, and a search counts for a fraction of a second. */
          is_complete: boolean;
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /orders/{id} */
  getOrdersById: {
    path: {
      /** The order id. */
      id: string;
    };
    answers: {
      '200': {
        data: Schemas['OrderDetail'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /orders/{id}/status */
  postOrdersByIdStatus: {
    path: {
      /** The order id. */
      id: string;
    };
    body: Schemas['StatusReport'];
    answers: {
      '200': {
        data: Schemas['Order'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['StatusConflict'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /channels/{id}/product-info */
  postChannelsByIdProductInfo: {
    path: {
      /** The channel id. */
      id: string;
    };
    body: {
      /** The product code. */
      usercode: string;
      /** The options to apply. Default: all that are not hidden. */
      option_codes?: string[] | null;
    };
    answers: {
      '200': {
        data: {
          /** False: the channel has no such product; `errors` contains its message. */
          found: boolean;
          /** The requested usercode. */
          product_code: string;
          goods_name: string | null;
          /** A two-piece set: left and right are merged into one SKU per power. */
          is_set: boolean;
          groups: string[];
          /** As the channel sent them, in its order. */
          options: {
            option_code: string;
            group: string;
            /** Of a set: by the name of the group, or in order of appearance. */
            side: 'left' | 'right' | null;
            power: string;
            stock: number;
            hidden: boolean;
            /** With the option code: identifies the row of `skus`. */
            variant_code: string;
            /** The violations that concern this row. */
            problems: string[];
          }[];
          skus: {
            power: string;
            /** The channel SKU. */
            option_code: string;
            /** The channel's own stock, for display only. */
            stock: number;
            hidden: boolean;
            /** The internal SKU it would be mapped to. */
            variant_code: string;
          }[];
          /** With any of these nothing can be applied. */
          errors: string[];
          /** The same errors as facts, with the rows they affect. */
          violations: {
            /** `power_missing`, `code_differs`, `variant_taken`, … */
            code: string;
            /** Positions among `options`; none where the whole product is concerned. */
            rows: number[];
            /** Facts; which ones depends on the code. */
            details: {
              power?: string;
              option_codes?: string[];
              group?: string;
              side?: 'left' | 'right';
              /** The group that has the power. */
              in_group?: string;
              /** The same value in another notation, in the group that lacks the power. */
              written_as?: string;
              times?: number;
              powers?: string[];
              is_set?: boolean;
              variant_code?: string;
              product_code?: string;
              characters?: number;
              characters_max?: number;
              groups_max?: number;
            };
            message: string;
          }[];
          /** What applying would change; null if nothing. */
          changes: {
            product: {
              code: string;
              name: string;
              result: 'created' | 'updated' | 'unchanged';
            };
            variants: {
              code: string;
              power: string | null;
              result: 'created' | 'updated' | 'unchanged';
            }[];
            mappings: {
              sku: string;
              variant_code: string;
              result: 'created' | 'updated' | 'unchanged';
            }[];
          } | null;
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['RegistrationError'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /channels/{id}/product-info/apply */
  postChannelsByIdProductInfoApply: {
    path: {
      /** The channel id. */
      id: string;
    };
    body: {
      /** The product code. */
      usercode: string;
      /** The options to apply. Default: all that are not hidden. */
      option_codes?: string[] | null;
      /** true: returns the plan for these options and changes nothing. */
      dry_run?: boolean | null;
    };
    answers: {
      '200':
        | {
            data: {
              product: {
                code: string;
                name: string;
                result: 'created' | 'updated' | 'unchanged';
              };
              variants: {
                code: string;
                power: string | null;
                result: 'created' | 'updated' | 'unchanged';
              }[];
              mappings: {
                sku: string;
                variant_code: string;
                result: 'created' | 'updated' | 'unchanged';
              }[];
            };
          }
        | {
            data: {
              product: {
                code: string;
                name: string;
                action: 'create' | 'rename' | 'keep';
                before_name: string | null;
              };
              variants: {
                code: string;
                power: string | null;
                action: 'create' | 'update' | 'keep';
                before_power: string | null;
              }[];
              mappings: {
                sku: string;
                variant_code: string;
                action: 'create' | 'replace' | 'keep';
                /** The variant it is mapped to now. */
                before: string | null;
              }[];
            };
          };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['RegistrationError'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /reconcile */
  getReconcile: {
    answers: {
      '200': {
        data: {
          /** True if nothing differs. */
          ok: boolean;
          /** Four counters per stock row, two per allocation, and each order with its lines and history. */
          checked: number;
          /** The first 1000 differences. */
          drift: {
            counter: string;
            variant_code?: string;
            channel_id?: number;
            order_number?: string;
            /** The stored value; null: no row. Amounts are decimal strings. */
            stored: number | string | null;
            /** The value computed from orders and ledger; null: there should be no row. */
            computed: number | string | null;
          }[];
          /** Total number of differences. */
          drift_count: number;
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /users */
  getUsers: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
    };
    answers: {
      '200': {
        data: Schemas['User'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /users */
  postUsers: {
    body: {
      /** Case-insensitive; stored in lower case. */
      email: string;
      name?: string | null;
      role: 'viewer' | 'operator' | 'admin';
    };
    answers: {
      '201': {
        data: Schemas['UserWithPassword'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PATCH /users/{id} */
  patchUsersById: {
    path: {
      /** The user id. */
      id: string;
    };
    body: {
      /** An empty text clears it. */
      name?: string | null;
      role?: 'viewer' | 'operator' | 'admin' | null;
      /** An inactive account cannot sign in; its sessions end. */
      is_active?: boolean | null;
      /** true: it must set up two-step sign-in before it does anything else. */
      second_factor_required?: boolean | null;
    };
    answers: {
      '200': {
        data: Schemas['User'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /tokens */
  getTokens: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
    };
    answers: {
      '200': {
        data: Schemas['Token'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /tokens */
  postTokens: {
    body: {
      /** Who or what it is for; shown in the audit log. */
      name: string;
      role: 'viewer' | 'operator' | 'admin';
      /** When it expires: ISO 8601 with offset. Unset: never. */
      expires_at?: string | null;
      /** The same, counted from now; not both. */
      expires_in_days?: number | null;
    };
    answers: {
      '201': {
        data: Schemas['TokenWithSecret'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /alerts */
  getAlerts: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      state?: 'open' | 'closed';
      kind?:
        | 'low_stock'
        | 'overcommitted'
        | 'unmapped_sku'
        | 'rate_missing'
        | 'rate_stale'
        | 'drift'
        | 'channel_silent'
        | 'prepayment_old'
        | 'channel_exceeds_stock'
        | 'webhook_failing';
    };
    answers: {
      '200': {
        data: Schemas['Alert'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /alert-rules */
  getAlertRules: {
    answers: {
      '200': {
        data: Schemas['AlertRule'][];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /alert-rules/{kind} */
  getAlertRulesByKind: {
    path: {
      /** One of low_stock, overcommitted, unmapped_sku, rate_missing, rate_stale, drift, channel_silent, prepayment_old, channel_exceeds_stock, webhook_failing. */
      kind: string;
    };
    answers: {
      '200': {
        data: Schemas['AlertRule'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PUT /alert-rules/{kind} */
  putAlertRulesByKind: {
    path: {
      /** One of low_stock, overcommitted, unmapped_sku, rate_missing, rate_stale, drift, channel_silent, prepayment_old, channel_exceeds_stock, webhook_failing. */
      kind: string;
    };
    body: {
      enabled: boolean;
      /** rate_stale, channel_silent, prepayment_old, unmapped_sku: how long. */
      hours?: number | null;
      /** unmapped_sku: how many. */
      requests?: number | null;
      /** webhook_failing: failed attempts in a row. */
      failures?: number | null;
    };
    answers: {
      '200': {
        data: Schemas['AlertRule'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /backorders */
  getBackorders: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      channel_id?: number;
      /** Part of a code or name, in any case, or a whole barcode. */
      search?: string;
      can_ship?: boolean;
    };
    answers: {
      '200': {
        data: Schemas['Backorder'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /backorders/items */
  getBackordersItems: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      channel_id?: number;
      /** Part of a code or name, in any case, or a whole barcode. */
      search?: string;
    };
    answers: {
      '200': {
        data: {
          variant_code: string;
          product_name: string;
          channel_id: number;
          channel_name: string;
          order_count: number;
          /** On backorder. */
          quantity: number;
          /** Of it, in orders that can ship now. */
          can_ship_quantity: number;
          /** Physical stock that unshipped normal orders leave. */
          free: number;
          /** ISO 8601 with offset. */
          oldest_at: string;
        }[];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /channels/import */
  postChannelsImport: {
    body: {
      /** Separated by commas, with the header name,api_key[,country_code,api_url,is_active,order_number_prefix,allowed_addresses,prepayment_expiry_minutes]. Settings whose column is missing stay as they are. The text holds secrets; no answer repeats one. */
      csv: string;
      /** Check only, change nothing. */
      dry_run?: boolean | null;
      /** Take values that look like mistakes as they are, such as the SKU `1E+05`. */
      as_written?: boolean | null;
    };
    answers: {
      '200': {
        data: Schemas['CsvImportReport'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['CsvImportRefusal'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /products/import */
  postProductsImport: {
    body: {
      /** Separated by commas, with the header product_code,product_name,variant_code[,power] */
      csv: string;
      /** Check only, change nothing. */
      dry_run?: boolean | null;
      /** Take values that look like mistakes as they are, such as the SKU `1E+05`. */
      as_written?: boolean | null;
    };
    answers: {
      '200': {
        data: Schemas['CsvImportReport'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['CsvImportRefusal'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /exchange-rates/import */
  postExchangeRatesImport: {
    body: {
      /** Separated by commas, with the header currency_code,rate[,effective_at] */
      csv: string;
      /** Check only, change nothing. */
      dry_run?: boolean | null;
      /** Take values that look like mistakes as they are, such as the SKU `1E+05`. */
      as_written?: boolean | null;
    };
    answers: {
      '200': {
        data: Schemas['CsvImportReport'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['CsvImportRefusal'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /common-codes/import */
  postCommonCodesImport: {
    body: {
      /** Separated by commas, with the header group,code,name[,tracking_url,aliases]. Aliases are separated by commas, in quotes. Values whose column is missing stay as they are. */
      csv: string;
      /** Check only, change nothing. */
      dry_run?: boolean | null;
      /** Take values that look like mistakes as they are, such as the SKU `1E+05`. */
      as_written?: boolean | null;
    };
    answers: {
      '200': {
        data: Schemas['CsvImportReport'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['CsvImportRefusal'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /orders/import */
  postOrdersImport: {
    body: {
      /** Separated by commas, with the header order_number,status,created_at,recipient_name,recipient_phone,shipping_address,sku,quantity,local_unit_price and channel_id or channel, one row for each line of an order; see `sluice import orders --help` */
      csv: string;
      /** Check only, change nothing. */
      dry_run?: boolean | null;
      /** Take values that look like mistakes as they are, such as the SKU `1E+05`. */
      as_written?: boolean | null;
      /** Stored orders follow the file in status, shipment, cancellation and recipient. The file must contain every order that is open here. Stock and pre-allocations do not change. */
      update?: boolean | null;
    };
    answers: {
      '200': {
        data: Schemas['CsvImportReport'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['CsvImportRefusal'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /refusals */
  getRefusals: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      channel_id?: number;
      reason?:
        | 'sku_unmapped'
        | 'stock_missing'
        | 'stock_insufficient'
        | 'quota_insufficient'
        | 'limit_exceeded'
        | 'order_number_taken'
        | 'channel_inactive'
        | 'invalid';
      /** Part of a code or name, in any case, or a whole barcode. */
      search?: string;
      /** false: only orders that were not accepted since; true: only the others. */
      accepted?: boolean;
      /** Refused at this time or later; a date counts from its start in the configured time zone. */
      from?: string;
      /** Refused before this time; a date includes the whole day. */
      to?: string;
    };
    answers: {
      '200': {
        data: Schemas['RefusedOrder'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** DELETE /refusals/{id} */
  deleteRefusalsById: {
    path: {
      /** The id of the entry. */
      id: string;
    };
    answers: {
      '204': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /late-reports */
  getLateReports: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      channel_id?: number;
      /** report_after_cancel: a status such as a payment was reported for a cancelled order; resend_after_cancel: a cancelled order was sent again; cancel_after_ship: a cancellation was reported for a shipped order; report_unknown: a status was reported for an order that the service does not have. */
      kind?: 'report_after_cancel' | 'resend_after_cancel' | 'cancel_after_ship' | 'report_unknown';
      /** Part of a code or name, in any case, or a whole barcode. */
      search?: string;
    };
    answers: {
      '200': {
        data: {
          id: number;
          /** report_after_cancel: a status such as a payment was reported for a cancelled order; resend_after_cancel: a cancelled order was sent again; cancel_after_ship: a cancellation was reported for a shipped order; report_unknown: a status was reported for an order that the service does not have. */
          kind: 'report_after_cancel' | 'resend_after_cancel' | 'cancel_after_ship' | 'report_unknown';
          channel_id: number;
          channel_name: string;
          order_number: string;
          /** null: the service does not have the order. */
          order_id: number | null;
          /** Of the order now. */
          status: 0 | 1 | 2 | 9 | 3 | 88 | null;
          /** The service cancelled the order, because it was not paid in time. A payment may have to be returned. */
          expired: boolean;
          /** The last one reported; null: the order was sent again. */
          requested_status: 0 | 1 | 2 | 9 | 3 | 88 | null;
          /** The X-Request-Id of the last one. */
          request_id: string;
          count: number;
          /** ISO 8601 with offset. */
          first_at: string;
          /** ISO 8601 with offset. */
          at: string;
        }[];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** DELETE /late-reports/{id} */
  deleteLateReportsById: {
    path: {
      /** The id of the entry. */
      id: string;
    };
    answers: {
      '204': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /channels/{id}/unmapped */
  getChannelsByIdUnmapped: {
    path: {
      /** The channel id. */
      id: string;
    };
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      /** Part of a code or name, in any case, or a whole barcode. */
      search?: string;
    };
    answers: {
      '200': {
        data: {
          sku: string;
          /** Lookups answered with 404. */
          lookups: number;
          /** Orders refused because of it. */
          orders: number;
          /** ISO 8601 with offset. */
          first_at: string;
          /** ISO 8601 with offset. */
          last_at: string;
        }[];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** DELETE /channels/{id}/unmapped/{sku} */
  deleteChannelsByIdUnmappedBySku: {
    path: {
      /** The channel id. */
      id: string;
      /** The channel SKU. */
      sku: string;
    };
    answers: {
      '204': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /channels/{id}/requests */
  getChannelsByIdRequests: {
    path: {
      /** The channel id. */
      id: string;
    };
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      /** An X-Request-Id; exact match. */
      request_id?: string;
      /** Default all. */
      outcome?: 'refused' | 'slow' | 'served' | 'all';
    };
    answers: {
      '200': {
        data: Schemas['ChannelRequest'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /orders/export */
  getOrdersExport: {
    query: {
      /** Part of an order number, recipient, phone number (digits; separators do not matter), tracking number, channel SKU or variant code, in any case. At least 3 characters, or 2 if one is not ASCII. Viewers search order numbers and codes only. */
      search?: string;
      channel_id?: number;
      /** Any of 0, 1, 2, 9, 3, 88; several with commas, or repeated. */
      status?: string | string[];
      /** Exact match. */
      order_number?: string;
      /** Accepted at this time or later (included); a date counts from its start in the configured time zone. */
      from?: string;
      /** Accepted before this time, which is not included; a date includes the whole day. */
      to?: string;
      /** Of headings and statuses; without it, the names and numbers of the API. */
      language?: 'en' | 'ko';
      format: 'csv' | 'xlsx';
    };
    answers: {
      '200': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /orders/changes */
  getOrdersChanges: {
    query: {
      /** The `next` of the answer before; without it, from the first order on; `now`: only what comes after this request. A token does not expire. */
      since?: string;
      /** Default 50. */
      limit?: number;
    };
    answers: {
      '200': {
        /** For each order in the sequence of its changes. All fields but `status` are as of now. */
        data: {
          id: number;
          order_number: string;
          channel_id: number;
          status: 0 | 1 | 2 | 9 | 3 | 88;
          is_backorder: boolean;
          total_amount: string;
          local_currency_code: string;
          /** In the local currency, exactly. */
          local_total_amount: string;
          /** KRW for one unit, at intake. */
          exchange_rate: string;
          recipient_name: string;
          tracking_number: string | null;
          courier_code: string | null;
          courier_name: string | null;
          /** The parcel on the courier's site; null: no tracking number, or the courier has no tracking URL. */
          tracking_link: string | null;
          cancel_reason: string | null;
          /** ISO 8601 with offset. */
          created_at: string;
          /** When name, phone, address, tracking number and cancellation reason were erased; null: not erased. */
          erased_at: string | null;
          /** null: the order was accepted. */
          previous_status: number | null;
          /** ISO 8601 with offset. */
          changed_at: string;
          source: string;
          recipient_phone: string;
          shipping_address: string;
          items: Schemas['OrderLineDetail'][];
        }[];
        /** For `since` of the next request. */
        next: string;
        /** True: ask again at once. */
        has_more: boolean;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /overview */
  getOverview: {
    query: {
      /** Default 24. */
      hours?: number;
    };
    answers: {
      '200': {
        data: {
          /** ISO 8601 with offset. */
          now: string;
          /** Start of each hour in the configured time zone; the last one is the current hour. */
          hours: string[];
          /** Channels with orders in these hours. */
          orders_per_hour: {
            channel_id: number;
            counts: number[];
          }[];
          channels: {
            id: number;
            name: string;
            is_active: boolean;
          }[];
          open_orders: {
            status: 0 | 1 | 2 | 9 | 3 | 88;
            count: number;
          }[];
          oldest_unpaid: {
            id: number;
            order_number: string;
            channel_id: number;
            channel_name: string;
            /** ISO 8601 with offset. */
            created_at: string;
            total_amount: string;
          }[];
          /** Mapped items with low stock, lowest first. */
          low_stock: {
            variant_code: string;
            product_name: string;
            common_available: number;
            quantity: number;
          }[];
          /** Items whose unshipped normal orders and pre-allocations exceed the physical stock. */
          overcommitted_count: number;
          /** Refused orders in these hours, by reason as in the metrics. */
          refused: {
            reason: string;
            count: number;
          }[];
          /** SKUs that channels requested and that are not mapped. */
          unmapped_count: number;
          /** The last run of this process or its workers; null before the first. */
          reconcile: {
            ok: boolean;
            checked: number;
            drift_count: number;
            /** ISO 8601 with offset. */
            checked_at: string;
          } | null;
          /** For this process or its workers together, since their start. */
          gate: {
            waiting: number;
            /** Queue length at which requests are refused. */
            capacity: number;
            batches: number;
            /** Orders taken. */
            orders: number;
            last_batch_size: number;
            /** Average of the last hundred batches. */
            average_batch_ms: number;
            retries: number;
          };
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /channels/{id}/checklist */
  getChannelsByIdChecklist: {
    path: {
      /** The channel id. */
      id: string;
    };
    answers: {
      '200': {
        data: {
          items: (
            | {
                key: 'active';
                /** False: something is missing. */
                ok: boolean;
                /** optional: not set and not needed; warning: works, but should be changed. */
                state: 'done' | 'missing' | 'optional' | 'warning';
                detail: {};
              }
            | {
                key: 'country';
                /** False: something is missing. */
                ok: boolean;
                /** optional: not set and not needed; warning: works, but should be changed. */
                state: 'done' | 'missing' | 'optional' | 'warning';
                detail: {
                  country_code: string | null;
                  /** The currency of the country. */
                  currency_code: string;
                };
              }
            | {
                key: 'mappings';
                /** False: something is missing. */
                ok: boolean;
                /** optional: not set and not needed; warning: works, but should be changed. */
                state: 'done' | 'missing' | 'optional' | 'warning';
                detail: {
                  /** SKUs that are mapped. */
                  mapped: number;
                  /** SKUs that the channel requested and that are not mapped. */
                  unmapped_asked: number;
                };
              }
            | {
                key: 'allocations';
                /** False: something is missing. */
                ok: boolean;
                /** optional: not set and not needed; warning: works, but should be changed. */
                state: 'done' | 'missing' | 'optional' | 'warning';
                detail: {
                  /** Items with a pre-allocation or a backorder quota. */
                  configured: number;
                };
              }
            | {
                key: 'exchange_rate';
                /** False: something is missing. */
                ok: boolean;
                /** optional: not set and not needed; warning: works, but should be changed. */
                state: 'done' | 'missing' | 'optional' | 'warning';
                detail: {
                  /** The currency of the country. */
                  currency_code: string;
                  /** The base currency, which needs no rate. */
                  base: boolean;
                  /** The rate in effect. */
                  rate: string | null;
                  effective_at: string | null;
                };
              }
            | {
                key: 'api_url';
                /** False: something is missing. */
                ok: boolean;
                /** optional: not set and not needed; warning: works, but should be changed. */
                state: 'done' | 'missing' | 'optional' | 'warning';
                detail: {
                  /** How the channel's key is sent in outbound calls; plain: unencrypted, plain_private: unencrypted to a private address (SLUICE_ALLOW_PRIVATE_CHANNEL_URLS). */
                  transport: 'none' | 'encrypted' | 'plain' | 'plain_private';
                };
              }
            | {
                key: 'order_number_prefix';
                /** False: something is missing. */
                ok: boolean;
                /** optional: not set and not needed; warning: works, but should be changed. */
                state: 'done' | 'missing' | 'optional' | 'warning';
                detail: {
                  order_number_prefix: string | null;
                  /** Names of other active channels whose order numbers may collide: neither has a prefix, or one prefix starts with the other. */
                  shared_with: string[];
                };
              }
          )[];
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /exchange-rate-source */
  getExchangeRateSource: {
    answers: {
      '200': {
        data: Schemas['RateSource'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PUT /exchange-rate-source */
  putExchangeRateSource: {
    body: {
      /** none: rates are entered by hand; ecb: European Central Bank, daily; koreaexim: Export-Import Bank of Korea, with a key; json: any address. */
      kind: 'none' | 'ecb' | 'koreaexim' | 'json';
      /** http or https; null: the usual one. For json it may contain {currency}, one call for each currency, and {api_key}. */
      url?: string | null;
      /** Absent: the stored key stays if the URL has the same scheme, host and port, otherwise it is removed; null or empty: it is removed. For json it is sent as bearer token unless the URL has a place for it. */
      api_key?: string | null;
      currencies?: string[] | null;
      /** Default 360. */
      every_minutes?: number | null;
      /** For json: the way to the number, names and positions separated by dots, such as rates.{currency}. */
      path?: string | null;
      /** For json: the number is for so many units. Default 1. */
      per_units?: number | null;
      /** For json: the number is units of the currency for KRW, not KRW for units. Default false. */
      is_inverted?: boolean | null;
    };
    answers: {
      '200': {
        data: Schemas['RateSource'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /exchange-rate-source/waiting/{currency_code}/accept */
  postExchangeRateSourceWaitingByCurrencyCodeAccept: {
    path: {
      /** The currency. */
      currency_code: string;
    };
    body: {
      /** The rate that waits, as it was shown; 409 if another one waits now. */
      rate: string;
    };
    answers: {
      '200': {
        data: Schemas['RateSource'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /exchange-rate-source/waiting/{currency_code}/reject */
  postExchangeRateSourceWaitingByCurrencyCodeReject: {
    path: {
      /** The currency. */
      currency_code: string;
    };
    body: {
      /** The rate that waits, as it was shown; 409 if another one waits now. */
      rate: string;
    };
    answers: {
      '200': {
        data: Schemas['RateSource'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /orders/{id}/returns */
  postOrdersByIdReturns: {
    path: {
      /** The order id. */
      id: string;
    };
    body: {
      items: {
        /** As `line` of the order. */
        line: number;
        quantity: number;
      }[];
      reason: string;
    };
    answers: {
      '201': {
        data: Schemas['OrderDetail'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /orders/{id}/notes */
  postOrdersByIdNotes: {
    path: {
      /** The order id. */
      id: string;
    };
    body: {
      text: string;
    };
    answers: {
      '201': {
        data: Schemas['OrderDetail'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PATCH /orders/{id}/shipment */
  patchOrdersByIdShipment: {
    path: {
      /** The order id. */
      id: string;
    };
    body: {
      tracking_number?: string;
      /** A code, name or alias of the group DELIVERY_COMPANY. null: no courier; absent: as it is. */
      courier_code?: string | null;
    };
    answers: {
      '200': {
        data: Schemas['OrderDetail'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /orders/bulk-status */
  postOrdersBulkStatus: {
    body: {
      changes: Schemas['BulkStatusReport'][];
    };
    answers: {
      '200': {
        data: {
          results: {
            /** As sent; null if it was not an order id. */
            id: number | null;
            /** The order has the wanted status now, changed or unchanged. */
            ok: boolean;
            /** The order's status now, as far as known. */
            status: 0 | 1 | 2 | 9 | 3 | 88 | null;
            error: string | null;
            /** unauthorized: the token or session was revoked before this change was made. unavailable and failed: check the order before retrying. */
            code:
              | 'invalid'
              | 'not_found'
              | 'invalid_transition'
              | 'insufficient_stock'
              | 'unauthorized'
              | 'unavailable'
              | 'failed'
              | null;
            /** Facts; which ones depends on the code: of an invalid change `faults`, of insufficient stock `sku`, `requested` and `available`. */
            details: Record<string, unknown> | null;
            /** For an invalid change: messages by field, such as changes.3.tracking_number. */
            errors: Record<string, string[]> | null;
          }[];
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /orders/shipments */
  postOrdersShipments: {
    body: {
      shipments: {
        order_number: string;
        tracking_number: string;
        /** A code, name or alias of the group DELIVERY_COMPANY, in any case. An unknown one is a fault of the row. */
        courier_code?: string | null;
        /** The order must be of this channel. */
        channel_id?: number | null;
      }[];
      /** Answers what would happen now, and changes nothing. */
      dry_run?: boolean | null;
    };
    answers: {
      '200': {
        data: {
          /** In the order of the request. */
          results: {
            /** As sent. */
            order_number: string | null;
            /** `shipped`: the order is shipped now, or would be; `already_shipped`: it was shipped before; its tracking number is as it was; `unknown`: no order of this number, or none of this channel; `ambiguous`: several rows name the order; `invalid_transition`: the order can no longer be shipped; `insufficient_stock`: physical stock does not suffice; `invalid`: the row itself has faults, see `errors`; `unavailable`: not done for lack of the database; send it again; `unauthorized`: not done, because the token or session was revoked before */
            outcome:
              | 'shipped'
              | 'already_shipped'
              | 'unknown'
              | 'ambiguous'
              | 'invalid_transition'
              | 'insufficient_stock'
              | 'invalid'
              | 'unavailable'
              | 'unauthorized';
            order_id: number | null;
            recipient_name: string | null;
            /** Number of lines. */
            item_count: number | null;
            /** The first lines of the order, so that a person can check the row. */
            items: {
              variant_code: string;
              product_name: string;
              quantity: number;
            }[];
            /** For a refusal: current_status, or sku, requested and available; for an invalid row its `faults`. */
            details: Record<string, unknown> | null;
            /** For an invalid row: messages by field, such as shipments.3.tracking_number. */
            errors: Record<string, string[]> | null;
          }[];
          /** Rows by outcome. */
          counts: {
            shipped: number;
            already_shipped: number;
            unknown: number;
            ambiguous: number;
            invalid_transition: number;
            insufficient_stock: number;
            invalid: number;
            unavailable: number;
            unauthorized: number;
          };
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /orders/packing */
  getOrdersPacking: {
    query: {
      /** Order ids with commas, at most 200. */
      ids: string;
    };
    answers: {
      '200': {
        data: {
          /** In the order of `ids`. */
          orders: {
            id: number;
            order_number: string;
            channel_name: string;
            status: 0 | 1 | 2 | 9 | 3 | 88;
            is_backorder: boolean;
            recipient_name: string;
            recipient_phone: string;
            shipping_address: string;
            /** ISO 8601 with offset. */
            created_at: string;
            erased_at: string | null;
            items: {
              sku: string;
              variant_code: string;
              product_code: string;
              product_name: string;
              power: string | null;
              barcode: string | null;
              /** Such as size and colour. */
              attributes: Record<string, string>;
              /** Without what was cancelled. */
              quantity: number;
            }[];
          }[];
          /** The goods of all unshipped orders, summed by variant. */
          picks: {
            variant_code: string;
            product_code: string;
            product_name: string;
            power: string | null;
            barcode: string | null;
            /** Such as size and colour. */
            attributes: Record<string, string>;
            /** Without what was cancelled. */
            quantity: number;
            /** How many of the orders need it. */
            orders: number;
            /** In the warehouse now; null: no stock record. */
            physical_stock: number | null;
          }[];
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /orders/parcels */
  getOrdersParcels: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      /** Only the parcel of this order. */
      order_id?: number;
      /** Only the parcels of these orders: at most 200 ids, with commas. */
      order_ids?: string;
    };
    answers: {
      '200': {
        data: {
          /** Orders of the recipient that wait for shipment. */
          count: number;
          /** Newest first; of a very large number the oldest 200. */
          orders: Schemas['ListedOrder'][];
        }[];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /webhooks */
  getWebhooks: {
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
    };
    answers: {
      '200': {
        data: Schemas['Webhook'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /webhooks */
  postWebhooks: {
    body: {
      /** http or https. It gets POST requests after the Standard Webhooks specification. */
      url: string;
      /** Which events are sent. */
      events: ('order.accepted' | 'order.status_changed' | 'alert.opened' | 'alert.closed')[];
      description?: string | null;
      is_active?: boolean | null;
      /** Default: false. */
      include_personal_data?: boolean | null;
    };
    answers: {
      '201': {
        data: Schemas['WebhookWithSecret'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /webhooks/{id} */
  getWebhooksById: {
    path: {
      /** The webhook id. */
      id: string;
    };
    answers: {
      '200': {
        data: Schemas['Webhook'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** PATCH /webhooks/{id} */
  patchWebhooksById: {
    path: {
      /** The webhook id. */
      id: string;
    };
    body: {
      /** http or https. It gets POST requests after the Standard Webhooks specification. */
      url?: string;
      /** Which events are sent. */
      events?: ('order.accepted' | 'order.status_changed' | 'alert.opened' | 'alert.closed')[];
      description?: string | null;
      is_active?: boolean | null;
      /** Default: false. */
      include_personal_data?: boolean | null;
    };
    answers: {
      '200': {
        data: Schemas['Webhook'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** DELETE /webhooks/{id} */
  deleteWebhooksById: {
    path: {
      /** The webhook id. */
      id: string;
    };
    answers: {
      '204': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** GET /webhooks/{id}/deliveries */
  getWebhooksByIdDeliveries: {
    path: {
      /** The webhook id. */
      id: string;
    };
    query: {
      /** Default 50. */
      limit?: number;
      /** The next_cursor of the page before. */
      cursor?: string;
      state?: 'pending' | 'delivered' | 'failed';
      /** `true`: only those whose last attempt failed, given up or not. */
      failing?: boolean;
    };
    answers: {
      '200': {
        data: Schemas['WebhookDelivery'][];
        next_cursor: string | null;
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /channels/{id}/rotate-key */
  postChannelsByIdRotateKey: {
    path: {
      /** The channel id. */
      id: string;
    };
    body: {
      /** How long the old key stays valid. Default 0: it is revoked immediately. */
      overlap_seconds?: number | null;
    };
    answers: {
      '200': {
        data: Schemas['ChannelWithKey'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** DELETE /channels/{id}/previous-key */
  deleteChannelsByIdPreviousKey: {
    path: {
      /** The channel id. */
      id: string;
    };
    answers: {
      '204': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /channels/{id}/signing-secrets */
  postChannelsByIdSigningSecrets: {
    path: {
      /** The channel id. */
      id: string;
    };
    answers: {
      '201': {
        data: {
          id: number;
          /** Shown only once: store it. */
          secret: string;
          /** ISO 8601 with offset. */
          created_at: string;
        };
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** DELETE /channels/{id}/signing-secrets/{secretId} */
  deleteChannelsByIdSigningSecretsBySecretId: {
    path: {
      /** The channel id. */
      id: string;
      /** The id of the signing secret. */
      secretId: string;
    };
    answers: {
      '204': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /users/{id}/reset-password */
  postUsersByIdResetPassword: {
    path: {
      /** The user id. */
      id: string;
    };
    answers: {
      '200': {
        data: Schemas['UserWithPassword'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /users/{id}/reset-second-factor */
  postUsersByIdResetSecondFactor: {
    path: {
      /** The user id. */
      id: string;
    };
    answers: {
      '200': {
        data: Schemas['User'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** DELETE /tokens/{id} */
  deleteTokensById: {
    path: {
      /** The token id. */
      id: string;
    };
    answers: {
      '204': null;
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /exchange-rate-source/run */
  postExchangeRateSourceRun: {
    answers: {
      '200': {
        data: Schemas['RateSource'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '409': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /webhooks/{id}/rotate-secret */
  postWebhooksByIdRotateSecret: {
    path: {
      /** The webhook id. */
      id: string;
    };
    body: {
      /** How long the secret before signs too; default 24. */
      overlap_hours?: number | null;
    };
    answers: {
      '200': {
        data: Schemas['WebhookWithSecret'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /webhooks/{id}/test */
  postWebhooksByIdTest: {
    path: {
      /** The webhook id. */
      id: string;
    };
    answers: {
      '200': {
        data: Schemas['WebhookDelivery'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
  /** POST /webhooks/{id}/deliveries/{deliveryId}/resend */
  postWebhooksByIdDeliveriesByDeliveryIdResend: {
    path: {
      /** The webhook id. */
      id: string;
      /** The delivery id. */
      deliveryId: string;
    };
    answers: {
      '200': {
        data: Schemas['WebhookDelivery'];
      };
      '401': Schemas['Refusal'];
      '403': Schemas['Refusal'];
      '404': Schemas['Refusal'];
      '422': Schemas['InvalidRequest'] | Schemas['Refusal'];
      '429': Schemas['Refusal'];
      '500': Schemas['Refusal'];
      '503': Schemas['Refusal'];
    };
  };
}

export interface Paths {
  '/session': {
    post: Operations['postSession'];
    get: Operations['getSession'];
    delete: Operations['deleteSession'];
  };
  '/session/password': {
    put: Operations['putSessionPassword'];
  };
  '/sessions': {
    get: Operations['getSessions'];
    delete: Operations['deleteSessions'];
  };
  '/sessions/{id}': {
    get: Operations['getSessionsById'];
    delete: Operations['deleteSessionsById'];
  };
  '/session/second-factor': {
    get: Operations['getSessionSecondFactor'];
    post: Operations['postSessionSecondFactor'];
    put: Operations['putSessionSecondFactor'];
  };
  '/session/second-factor/recovery-codes': {
    post: Operations['postSessionSecondFactorRecoveryCodes'];
  };
  '/session/second-factor/remove': {
    post: Operations['postSessionSecondFactorRemove'];
  };
  '/second-factor-rule': {
    get: Operations['getSecondFactorRule'];
    put: Operations['putSecondFactorRule'];
  };
  '/channels': {
    get: Operations['getChannels'];
    post: Operations['postChannels'];
  };
  '/channels/{id}': {
    get: Operations['getChannelsById'];
    patch: Operations['patchChannelsById'];
  };
  '/channels/{id}/rate-limit': {
    put: Operations['putChannelsByIdRateLimit'];
  };
  '/channels/{id}/signing': {
    put: Operations['putChannelsByIdSigning'];
  };
  '/channels/{id}/limits': {
    get: Operations['getChannelsByIdLimits'];
    put: Operations['putChannelsByIdLimits'];
  };
  '/countries': {
    get: Operations['getCountries'];
  };
  '/products': {
    get: Operations['getProducts'];
    post: Operations['postProducts'];
  };
  '/products/{code}': {
    get: Operations['getProductsByCode'];
    patch: Operations['patchProductsByCode'];
  };
  '/products/{code}/variants': {
    post: Operations['postProductsByCodeVariants'];
  };
  '/variants': {
    get: Operations['getVariants'];
  };
  '/variants/{code}': {
    get: Operations['getVariantsByCode'];
    patch: Operations['patchVariantsByCode'];
  };
  '/channels/{id}/mappings': {
    get: Operations['getChannelsByIdMappings'];
    put: Operations['putChannelsByIdMappings'];
  };
  '/mappings': {
    get: Operations['getMappings'];
  };
  '/channels/{id}/mappings/{sku}': {
    delete: Operations['deleteChannelsByIdMappingsBySku'];
  };
  '/channels/{id}/mappings/remove': {
    post: Operations['postChannelsByIdMappingsRemove'];
  };
  '/channels/{id}/mappings/import': {
    post: Operations['postChannelsByIdMappingsImport'];
  };
  '/channels/{id}/mappings/export': {
    get: Operations['getChannelsByIdMappingsExport'];
  };
  '/stock': {
    get: Operations['getStock'];
  };
  '/stock/{variant_code}': {
    get: Operations['getStockByVariantCode'];
    put: Operations['putStockByVariantCode'];
  };
  '/stock/{variant_code}/adjustments': {
    post: Operations['postStockByVariantCodeAdjustments'];
  };
  '/stock/{variant_code}/movements': {
    get: Operations['getStockByVariantCodeMovements'];
  };
  '/stock/import': {
    post: Operations['postStockImport'];
  };
  '/stock/imports/{import_id}/undo': {
    post: Operations['postStockImportsByImportIdUndo'];
  };
  '/stock/export': {
    get: Operations['getStockExport'];
  };
  '/stock/{variant_code}/orders': {
    get: Operations['getStockByVariantCodeOrders'];
  };
  '/channels/{id}/allocations': {
    get: Operations['getChannelsByIdAllocations'];
  };
  '/channels/{id}/allocations/{variant_code}': {
    put: Operations['putChannelsByIdAllocationsByVariantCode'];
  };
  '/allocations': {
    put: Operations['putAllocations'];
    get: Operations['getAllocations'];
  };
  '/allocations/transfers': {
    post: Operations['postAllocationsTransfers'];
  };
  '/allocations/import': {
    post: Operations['postAllocationsImport'];
  };
  '/allocations/export': {
    get: Operations['getAllocationsExport'];
  };
  '/exchange-rates': {
    get: Operations['getExchangeRates'];
    post: Operations['postExchangeRates'];
  };
  '/exchange-rates/{id}': {
    delete: Operations['deleteExchangeRatesById'];
  };
  '/exchange-rates/current': {
    get: Operations['getExchangeRatesCurrent'];
  };
  '/common-codes/{group}': {
    get: Operations['getCommonCodesByGroup'];
  };
  '/common-codes/{group}/{code}': {
    put: Operations['putCommonCodesByGroupByCode'];
    delete: Operations['deleteCommonCodesByGroupByCode'];
  };
  '/audit': {
    get: Operations['getAudit'];
  };
  '/orders': {
    get: Operations['getOrders'];
  };
  '/orders/totals': {
    get: Operations['getOrdersTotals'];
  };
  '/orders/{id}': {
    get: Operations['getOrdersById'];
  };
  '/orders/{id}/status': {
    post: Operations['postOrdersByIdStatus'];
  };
  '/channels/{id}/product-info': {
    post: Operations['postChannelsByIdProductInfo'];
  };
  '/channels/{id}/product-info/apply': {
    post: Operations['postChannelsByIdProductInfoApply'];
  };
  '/reconcile': {
    get: Operations['getReconcile'];
  };
  '/users': {
    get: Operations['getUsers'];
    post: Operations['postUsers'];
  };
  '/users/{id}': {
    patch: Operations['patchUsersById'];
  };
  '/tokens': {
    get: Operations['getTokens'];
    post: Operations['postTokens'];
  };
  '/alerts': {
    get: Operations['getAlerts'];
  };
  '/alert-rules': {
    get: Operations['getAlertRules'];
  };
  '/alert-rules/{kind}': {
    get: Operations['getAlertRulesByKind'];
    put: Operations['putAlertRulesByKind'];
  };
  '/backorders': {
    get: Operations['getBackorders'];
  };
  '/backorders/items': {
    get: Operations['getBackordersItems'];
  };
  '/channels/import': {
    post: Operations['postChannelsImport'];
  };
  '/products/import': {
    post: Operations['postProductsImport'];
  };
  '/exchange-rates/import': {
    post: Operations['postExchangeRatesImport'];
  };
  '/common-codes/import': {
    post: Operations['postCommonCodesImport'];
  };
  '/orders/import': {
    post: Operations['postOrdersImport'];
  };
  '/refusals': {
    get: Operations['getRefusals'];
  };
  '/refusals/{id}': {
    delete: Operations['deleteRefusalsById'];
  };
  '/late-reports': {
    get: Operations['getLateReports'];
  };
  '/late-reports/{id}': {
    delete: Operations['deleteLateReportsById'];
  };
  '/channels/{id}/unmapped': {
    get: Operations['getChannelsByIdUnmapped'];
  };
  '/channels/{id}/unmapped/{sku}': {
    delete: Operations['deleteChannelsByIdUnmappedBySku'];
  };
  '/channels/{id}/requests': {
    get: Operations['getChannelsByIdRequests'];
  };
  '/orders/export': {
    get: Operations['getOrdersExport'];
  };
  '/orders/changes': {
    get: Operations['getOrdersChanges'];
  };
  '/overview': {
    get: Operations['getOverview'];
  };
  '/channels/{id}/checklist': {
    get: Operations['getChannelsByIdChecklist'];
  };
  '/exchange-rate-source': {
    get: Operations['getExchangeRateSource'];
    put: Operations['putExchangeRateSource'];
  };
  '/exchange-rate-source/waiting/{currency_code}/accept': {
    post: Operations['postExchangeRateSourceWaitingByCurrencyCodeAccept'];
  };
  '/exchange-rate-source/waiting/{currency_code}/reject': {
    post: Operations['postExchangeRateSourceWaitingByCurrencyCodeReject'];
  };
  '/orders/{id}/returns': {
    post: Operations['postOrdersByIdReturns'];
  };
  '/orders/{id}/notes': {
    post: Operations['postOrdersByIdNotes'];
  };
  '/orders/{id}/shipment': {
    patch: Operations['patchOrdersByIdShipment'];
  };
  '/orders/bulk-status': {
    post: Operations['postOrdersBulkStatus'];
  };
  '/orders/shipments': {
    post: Operations['postOrdersShipments'];
  };
  '/orders/packing': {
    get: Operations['getOrdersPacking'];
  };
  '/orders/parcels': {
    get: Operations['getOrdersParcels'];
  };
  '/webhooks': {
    get: Operations['getWebhooks'];
    post: Operations['postWebhooks'];
  };
  '/webhooks/{id}': {
    get: Operations['getWebhooksById'];
    patch: Operations['patchWebhooksById'];
    delete: Operations['deleteWebhooksById'];
  };
  '/webhooks/{id}/deliveries': {
    get: Operations['getWebhooksByIdDeliveries'];
  };
  '/channels/{id}/rotate-key': {
    post: Operations['postChannelsByIdRotateKey'];
  };
  '/channels/{id}/previous-key': {
    delete: Operations['deleteChannelsByIdPreviousKey'];
  };
  '/channels/{id}/signing-secrets': {
    post: Operations['postChannelsByIdSigningSecrets'];
  };
  '/channels/{id}/signing-secrets/{secretId}': {
    delete: Operations['deleteChannelsByIdSigningSecretsBySecretId'];
  };
  '/users/{id}/reset-password': {
    post: Operations['postUsersByIdResetPassword'];
  };
  '/users/{id}/reset-second-factor': {
    post: Operations['postUsersByIdResetSecondFactor'];
  };
  '/tokens/{id}': {
    delete: Operations['deleteTokensById'];
  };
  '/exchange-rate-source/run': {
    post: Operations['postExchangeRateSourceRun'];
  };
  '/webhooks/{id}/rotate-secret': {
    post: Operations['postWebhooksByIdRotateSecret'];
  };
  '/webhooks/{id}/test': {
    post: Operations['postWebhooksByIdTest'];
  };
  '/webhooks/{id}/deliveries/{deliveryId}/resend': {
    post: Operations['postWebhooksByIdDeliveriesByDeliveryIdResend'];
  };
}
