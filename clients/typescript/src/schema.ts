// Written by tools/scripts/api-types.ts from the OpenAPI document "Sluice channel API". Not to be edited.

export interface Schemas {
  BulkLookup: {
    /** In the order of the request, all of one moment. */
    data: Schemas['InventoryLookup'][];
    /** SKUs that are not mapped to the channel. */
    unknown: string[];
  };
  BulkLookupRequest: {
    /** Channel SKUs; one that is named twice is answered once. */
    skus: string[];
  };
  Conflict: {
    error: string;
    /** invalid_transition is final; insufficient_stock can succeed once stock was added. */
    code: 'invalid_transition' | 'insufficient_stock';
    current_status: number;
    requested_status: number;
  };
  InventoryList: {
    /** By SKU. */
    data: Schemas['InventoryRow'][];
    /** With limit: the cursor of the next page; null on the last. */
    next_cursor?: string | null;
    /** With changes_since: SKUs that are not mapped any more. */
    removed?: string[];
    /** With limit or changes_since: the token to ask for changes with. That of a page covers all that changes while the pages are read. */
    changes_since?: string;
    /** With changes_since: true where the token is too old or unknown; data begins the whole list, which replaces yours. */
    is_complete?: boolean;
    /** With changes_since: true where there is more; ask again at once with the new token. */
    has_more?: boolean;
  };
  InventoryLookup: {
    sku: string;
    available: number;
    reserve_remaining: number;
  };
  InventoryRow: {
    /** The channel SKU. */
    sku: string;
    /** The internal variant (SKU-level) code. */
    product_code: string;
    product_name: string;
    /** Physical stock, for reference only. */
    quantity: number;
    /** Sum of all pre-allocations, for reference only. */
    allocated: number;
    /** What this channel may sell: the only value to decide on. */
    available: number;
    /** Quantity still acceptable for backorders. */
    reserve_remaining: number;
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
  OrderChange: {
    id: number;
    order_number: string;
    status: number;
    tracking_number: string | null;
    courier_code: string | null;
    courier_name: string | null;
    cancel_reason: string | null;
    /** ISO 8601 with offset. */
    changed_at: string;
  };
  OrderChanges: {
    /** Orders whose status has changed, each as it is now. An order may be told again; no change is left out. */
    changes: Schemas['OrderChange'][];
    /** The token for the next request. */
    changes_since: string;
    /** True: ask again at once with the new token. */
    has_more: boolean;
  };
  OrderItem: {
    /** The product-level code, not the variant code of the stock list. */
    product_code: string;
    product_name: string;
    quantity: number;
    /** Base-currency unit price, two decimals. */
    unit_price: string;
  };
  OrderLine: {
    /** The channel SKU. */
    sku: string;
    quantity: number;
    /** In the local currency of the channel's country, with at most 30 decimals. */
    unit_price: number;
  };
  OrderRequest: {
    /** Unique across all orders of all channels. */
    order_number: string;
    recipient_name: string;
    recipient_phone: string;
    shipping_address: string;
    tracking_number?: string | null;
    /** 0 before payment, 1 paid (default). */
    status?: 0 | 1 | null;
    /** Taken beyond the stock, within the quota. Default false. */
    is_backorder?: boolean | null;
    items: Schemas['OrderLine'][];
  };
  /** A rule said no. */
  Problem: {
    error: string;
  };
  RateLimited: {
    error: string;
    code: 'rate_limited';
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
  Unauthorized: {
    error: string;
    /** Where it is the signature and not the key; only for channels that sign. */
    code?: 'signature_missing' | 'signature_invalid' | 'signature_expired';
  };
  /** The request is not of the required form; texts by field. */
  ValidationError: {
    /** The first text, and how many more there are. */
    message: string;
    errors: Record<string, string[]>;
  };
}

export interface Operations {
  /** GET /inventory */
  getInventory: {
    query: {
      /** Asks for a page of so many rows, or for so many changes. */
      limit?: number;
      /** With limit: the next_cursor of the page before. */
      cursor?: string;
      /** Asks for the rows that changed since this token was given out. A row may be told again; none is left out. */
      changes_since?: string;
      /** With changes_since: how many seconds to wait for a change. The answer comes as soon as there is one, or without any. */
      wait?: number;
    };
    answers: {
      '200': Schemas['InventoryList'];
      '304': null;
      '401': Schemas['Unauthorized'];
      '408': Schemas['Problem'];
      '422': Schemas['ValidationError'];
      '429': Schemas['RateLimited'];
      '500': Schemas['Problem'];
      '503': Schemas['Problem'];
    };
  };
  /** GET /inventory/{sku} */
  getInventoryBySku: {
    path: {
      /** The channel SKU, percent-encoded. */
      sku: string;
    };
    answers: {
      '200': Schemas['InventoryLookup'];
      '401': Schemas['Unauthorized'];
      '404': Schemas['Problem'];
      '408': Schemas['Problem'];
      '422': Schemas['ValidationError'];
      '429': Schemas['RateLimited'];
      '500': Schemas['Problem'];
      '503': Schemas['Problem'];
    };
  };
  /** POST /orders */
  postOrders: {
    body: Schemas['OrderRequest'];
    answers: {
      '200': {
        data: Schemas['Order'];
      };
      '201': {
        data: Schemas['Order'];
      };
      '401': Schemas['Unauthorized'];
      '408': Schemas['Problem'];
      '422': Schemas['ValidationError'] | Schemas['Problem'];
      '429': Schemas['RateLimited'];
      '500': Schemas['Problem'];
      '503': Schemas['Problem'];
    };
  };
  /** GET /orders */
  getOrders: {
    query: {
      /** The changes_since of the answer before; empty: from the first order on; `now`: only what comes after this request. A token does not expire. */
      changes_since: string;
      /** So many changes at most. */
      limit?: number;
      /** With changes_since: how many seconds to wait for a change. The answer comes as soon as there is one, or without any. */
      wait?: number;
    };
    answers: {
      '200': Schemas['OrderChanges'];
      '401': Schemas['Unauthorized'];
      '408': Schemas['Problem'];
      '422': Schemas['ValidationError'];
      '429': Schemas['RateLimited'];
      '500': Schemas['Problem'];
      '503': Schemas['Problem'];
    };
  };
  /** POST /orders/{orderNumber}/status */
  postOrdersByOrderNumberStatus: {
    path: {
      /** The number of the order, percent-encoded. */
      orderNumber: string;
    };
    body: Schemas['StatusReport'];
    answers: {
      '200': {
        data: Schemas['Order'];
      };
      '401': Schemas['Unauthorized'];
      '404': Schemas['Problem'];
      '408': Schemas['Problem'];
      '409': Schemas['Conflict'];
      '422': Schemas['ValidationError'];
      '429': Schemas['RateLimited'];
      '500': Schemas['Problem'];
      '503': Schemas['Problem'];
    };
  };
  /** POST /inventory/lookup */
  postInventoryLookup: {
    body: Schemas['BulkLookupRequest'];
    answers: {
      '200': Schemas['BulkLookup'];
      '401': Schemas['Unauthorized'];
      '408': Schemas['Problem'];
      '422': Schemas['ValidationError'];
      '429': Schemas['RateLimited'];
      '500': Schemas['Problem'];
      '503': Schemas['Problem'];
    };
  };
  /** GET /orders/{orderNumber} */
  getOrdersByOrderNumber: {
    path: {
      /** The number of the order, percent-encoded. */
      orderNumber: string;
    };
    answers: {
      '200': {
        data: Schemas['Order'];
      };
      '401': Schemas['Unauthorized'];
      '404': Schemas['Problem'];
      '408': Schemas['Problem'];
      '422': Schemas['ValidationError'];
      '429': Schemas['RateLimited'];
      '500': Schemas['Problem'];
      '503': Schemas['Problem'];
    };
  };
}

export interface Paths {
  '/inventory': {
    get: Operations['getInventory'];
  };
  '/inventory/{sku}': {
    get: Operations['getInventoryBySku'];
  };
  '/orders': {
    post: Operations['postOrders'];
    get: Operations['getOrders'];
  };
  '/orders/{orderNumber}/status': {
    post: Operations['postOrdersByOrderNumberStatus'];
  };
  '/inventory/lookup': {
    post: Operations['postInventoryLookup'];
  };
  '/orders/{orderNumber}': {
    get: Operations['getOrdersByOrderNumber'];
  };
}
