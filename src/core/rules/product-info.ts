// What a channel says about a product (contract 4.5), parsed.
export type ProductOption = {
  opt_group: string;
  power: string;
  option_code: string;
  stock: number;
  hidden: boolean;
};

/** The response for a product that exists. */
export type ProductInfo = {
  found: true;
  goods_name: string;
  is_monthly: number;
  options: ProductOption[];
};
