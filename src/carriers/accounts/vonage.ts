/** Vonage Application API v2 and Numbers API (developer.vonage.com). An application is replaced as a whole, so it is read first. */
import { isLeft, map } from 'fp-ts/Either';
import { ask, digitsOf, fieldOf, listOf, nothing, type Account, type AccountDeps } from './account';
import { basic, urlOf } from './rest';

/** Numbers are asked for at another host. */
export const VONAGE_NUMBERS = 'https://rest.nexmo.com';

export const vonageAccount = ({ rest, base, inboundUrl, credential }: AccountDeps, numbersBase: string): Account => {
  const headers = { Authorization: basic(credential('api_key'), credential('api_secret')) };
  const application = urlOf(`${base}/v2/applications`, credential('application_id'));

  return {
    check: () => ask(rest, application, { headers }),
    owns: async (address) => {
      const search = new URLSearchParams({ pattern: digitsOf(address), search_pattern: '0' }).toString();
      return map(({ json }: { readonly json: unknown }) =>
        listOf(json, 'numbers').some((n) => fieldOf(n, 'msisdn') === digitsOf(address)),
      )(await ask(rest, `${numbersBase}/account/numbers?${search}`, { headers }));
    },
    attach: async () => {
      const known = await ask(rest, application, { headers });
      if (isLeft(known)) return known;
      const { json } = known.right;
      const capabilities = fieldOf(json, 'capabilities');
      const voice = fieldOf(capabilities, 'voice');
      const hook = { address: inboundUrl, http_method: 'POST' };
      const replaced = {
        name: fieldOf(json, 'name'),
        privacy: fieldOf(json, 'privacy'),
        capabilities: {
          ...(capabilities as object | undefined),
          voice: {
            ...(voice as object | undefined),
            webhooks: { ...(fieldOf(voice, 'webhooks') as object | undefined), answer_url: hook },
          },
        },
      };
      return ask(rest, application, { method: 'PUT', headers, json: replaced });
    },
    detach: nothing,
  };
};
