// Shows what an operator would see of a shop's product information: the service's own call, to any address,
// with nothing stored.
import { fetchProductInfo } from '../../src/core/registration/fetch.ts';
import { checkProductInfo } from '../../src/core/rules/set-product.ts';
import { channelFailureText } from '../../src/platform/outbound/failure-words.ts';
import { withWords } from '../../src/core/registration/violation-words.ts';

interface Asked {
  api_url: string;
  usercode: string;
}

export async function tryProductInformation(
  { api_url: apiUrl, usercode }: Asked,
  apiKey: string,
  allowPrivate: boolean,
): Promise<object> {
  const answer = await fetchProductInfo({ apiUrl, apiKey, usercode, allowPrivate });
  if (answer.kind === 'answered') return withWords(checkProductInfo(usercode, answer.info));
  const { kind: _, ...failure } = answer;
  return { found: false, errors: [channelFailureText(failure)] };
}
