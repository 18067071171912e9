// Pulls product information as an administrator does, and checks that it arrives as the channel sent it.
import type { Admin } from '../../verify/kit/admin.ts';
import type { Observer } from '../../verify/observer/observer.ts';
import { productInfoOf } from './product-info.ts';
import type { Channel } from './world.ts';

interface Proposal {
  found: boolean;
  goods_name: string;
  is_set: boolean;
  skus: { option_code: string }[];
  errors: string[];
}

/** A set whose sides differ: the service must refuse it (contract 4.5.18). */
const WRONG_SET = 'TWIN1M';

export async function checkRegistration(
  admin: Admin,
  channels: readonly Channel[],
  observer: Observer,
): Promise<void> {
  for (const [place, channel] of channels.entries()) {
    const usercode = channel.skus[0]?.product_code ?? '';
    const ask = (code: string): Promise<Proposal> =>
      admin.send('POST', `/channels/${channel.id}/product-info`, { usercode: code });
    const own = productInfoOf(channel, usercode, () => 0);
    const got = await ask(usercode);
    const codes = (list: readonly { option_code: string }[]): string =>
      [...new Set(list.map((one) => one.option_code))].toSorted().join(', ');
    if (
      got.goods_name !== own.goods_name ||
      got.errors.length > 0 ||
      codes(got.skus) !== codes(own.options ?? [])
    )
      observer.addViolation(
        place,
        `the product information of ${usercode} arrived as ${JSON.stringify(got).slice(0, 200)}.`,
      );
    if ((await ask(WRONG_SET)).errors.length === 0)
      observer.addViolation(
        place,
        `the sides of ${WRONG_SET} have different powers, and no error was shown.`,
      );
  }
}
