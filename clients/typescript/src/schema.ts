// Written by scripts/client-types.ts from the OpenAPI document of the channel API. Not to be edited.

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
    answers: {
      '200': {
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
      };
      '304': null;
      '401': Schemas['Error'];
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
      '401': Schemas['Error'];
      '404': Schemas['Error'];
      '422': Schemas['ValidationError'];
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
      '401': Schemas['Error'];
      '422': Schemas['ValidationError'] | Schemas['Error'];
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
      /** Required when status is 3. */
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
      '401': Schemas['Error'];
      '404': Schemas['Error'];
      '409': Schemas['Conflict'];
      '422': Schemas['ValidationError'];
      '500': Schemas['Error'];
      '503': Schemas['Error'];
    };
  };
}
