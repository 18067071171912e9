// Written by tools/scripts/api-types.ts from the OpenAPI document "Sluice channel API". Not to be edited.

export interface Schemas {
  Conflict: {
    error: string;
    /** invalid_transition is final; insufficient_stock can succeed once stock was added. */
    code: 'invalid_transition' | 'insufficient_stock';
    current_status: number;
    requested_status: number;
  };
  /** A rule said no. */
  Error: {
    error: string;
  };
  RateLimited: {
    error: string;
    code: 'rate_limited';
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
      '200': {
        /** By SKU. */
        data: {
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
        }[];
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
      '304': null;
      '401': Schemas['Unauthorized'];
      '422': Schemas['ValidationError'];
      '429': Schemas['RateLimited'];
      '500': Schemas['Error'];
      '503': Schemas['Error'];
    };
  };
  /** POST /inventory/lookup */
  postInventoryLookup: {
    body: {
      /** Channel SKUs; one that is named twice is answered once. */
      skus: string[];
    };
    answers: {
      '200': {
        /** In the order of the request, all of one moment. */
        data: {
          sku: string;
          available: number;
          reserve_remaining: number;
        }[];
        /** SKUs that are not mapped to the channel. */
        unknown: string[];
      };
      '401': Schemas['Unauthorized'];
      '422': Schemas['ValidationError'];
      '429': Schemas['RateLimited'];
      '500': Schemas['Error'];
      '503': Schemas['Error'];
    };
  };
  /** GET /inventory/{sku} */
  getInventoryBySku: {
    path: {
      sku: string;
    };
    answers: {
      '200': {
        sku: string;
        available: number;
        reserve_remaining: number;
      };
      '401': Schemas['Unauthorized'];
      '404': Schemas['Error'];
      '422': Schemas['ValidationError'];
      '429': Schemas['RateLimited'];
      '500': Schemas['Error'];
      '503': Schemas['Error'];
    };
  };
  /** POST /orders */
  postOrders: {
    body: {
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
      items: {
        /** The channel SKU. */
        sku: string;
        quantity: number;
        /** In the local currency of the channel's country. */
        unit_price: number;
      }[];
    };
    answers: {
      '200': {
        data: {
          id: number;
          order_number: string;
          status: number;
          /** Base-currency total, two decimals. */
          total_amount: string;
          recipient_name: string;
          items: {
            /** The product-level code, not the variant code of the stock list. */
            product_code: string;
            product_name: string;
            quantity: number;
            /** Base-currency unit price, two decimals. */
            unit_price: string;
          }[];
          /** ISO 8601 with offset. */
          created_at: string;
        };
      };
      '201': {
        data: {
          id: number;
          order_number: string;
          status: number;
          /** Base-currency total, two decimals. */
          total_amount: string;
          recipient_name: string;
          items: {
            /** The product-level code, not the variant code of the stock list. */
            product_code: string;
            product_name: string;
            quantity: number;
            /** Base-currency unit price, two decimals. */
            unit_price: string;
          }[];
          /** ISO 8601 with offset. */
          created_at: string;
        };
      };
      '401': Schemas['Unauthorized'];
      '422': Schemas['ValidationError'] | Schemas['Error'];
      '429': Schemas['RateLimited'];
      '500': Schemas['Error'];
      '503': Schemas['Error'];
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
      '200': {
        /** Orders whose status has changed, each as it is now. An order may be told again; no change is left out. */
        changes: {
          id: number;
          order_number: string;
          status: number;
          tracking_number: string | null;
          courier_code: string | null;
          courier_name: string | null;
          cancel_reason: string | null;
          /** ISO 8601 with offset. */
          changed_at: string;
        }[];
        /** The token for the next request. */
        changes_since: string;
        /** True: ask again at once with the new token. */
        has_more: boolean;
      };
      '401': Schemas['Unauthorized'];
      '422': Schemas['ValidationError'];
      '429': Schemas['RateLimited'];
      '500': Schemas['Error'];
      '503': Schemas['Error'];
    };
  };
  /** POST /orders/{orderNumber}/status */
  postOrdersByOrderNumberStatus: {
    path: {
      orderNumber: string;
    };
    body: {
      /** 0 pre-payment, 1 paid, 2 product preparation, 9 shipping preparation, 3 shipped, 88 cancelled. */
      status: 0 | 1 | 2 | 9 | 3 | 88;
      /** Required when status is 3; with any other status it is not kept. */
      tracking_number?: string | null;
      /** A code of the group DELIVERY_COMPANY; any other leaves only the tracking number. */
      courier_code?: string | null;
      /** Why the order was cancelled. */
      reason?: string | null;
    };
    answers: {
      '200': {
        data: {
          id: number;
          order_number: string;
          status: number;
          /** Base-currency total, two decimals. */
          total_amount: string;
          recipient_name: string;
          items: {
            /** The product-level code, not the variant code of the stock list. */
            product_code: string;
            product_name: string;
            quantity: number;
            /** Base-currency unit price, two decimals. */
            unit_price: string;
          }[];
          /** ISO 8601 with offset. */
          created_at: string;
        };
      };
      '401': Schemas['Unauthorized'];
      '404': Schemas['Error'];
      '409': Schemas['Conflict'];
      '422': Schemas['ValidationError'];
      '429': Schemas['RateLimited'];
      '500': Schemas['Error'];
      '503': Schemas['Error'];
    };
  };
  /** GET /orders/{orderNumber} */
  getOrdersByOrderNumber: {
    path: {
      orderNumber: string;
    };
    answers: {
      '200': {
        data: {
          id: number;
          order_number: string;
          status: number;
          /** Base-currency total, two decimals. */
          total_amount: string;
          recipient_name: string;
          items: {
            /** The product-level code, not the variant code of the stock list. */
            product_code: string;
            product_name: string;
            quantity: number;
            /** Base-currency unit price, two decimals. */
            unit_price: string;
          }[];
          /** ISO 8601 with offset. */
          created_at: string;
        };
      };
      '401': Schemas['Unauthorized'];
      '404': Schemas['Error'];
      '422': Schemas['ValidationError'];
      '429': Schemas['RateLimited'];
      '500': Schemas['Error'];
      '503': Schemas['Error'];
    };
  };
}

export interface Paths {
  '/inventory': {
    get: Operations['getInventory'];
  };
  '/inventory/lookup': {
    post: Operations['postInventoryLookup'];
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
  '/orders/{orderNumber}': {
    get: Operations['getOrdersByOrderNumber'];
  };
}
