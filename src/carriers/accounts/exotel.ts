/** Exotel API v1 and v2_beta (developer.exotel.com). Numbers carry the URL of their flow. */
import { isLeft, map, right } from 'fp-ts/Either';
import { ask, digitsOf, fieldOf, listOf, type Account, type AccountDeps, type Asked } from './account';
import { basic, refused, urlOf } from './rest';

/** A base URL that a configuration may name; another one would get the credentials of whoever can be made to store it. */
export const isExotels = (url: string): boolean => {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, port, username, pathname } = new URL(url);
  return (
    protocol === 'https:' && /(^|\.)exotel\.com$/.test(hostname) && port === '' && username === '' && pathname === '/'
  );
};

export const exotelAccount = ({ rest, base, inboundUrl, credential }: AccountDeps): Account => {
  const sid = credential('account_sid');
  const headers = { Authorization: basic(credential('api_key'), credential('api_token')) };
  const numbersAt = (...rest: readonly string[]) =>
    urlOf(`${base}/v2_beta/Accounts`, sid, 'IncomingPhoneNumbers', ...rest);

  const numberOf = async (address: string): Asked<unknown> =>
    map(({ json }: { readonly json: unknown }) =>
      listOf(json, 'incoming_phone_numbers').find(
        (n) => digitsOf(String(fieldOf(n, 'phone_number') ?? '')) === digitsOf(address),
      ),
    )(await ask(rest, numbersAt(), { headers }));
  const voiceUrl = async (address: string, value: string): Asked<unknown> => {
    const found = await numberOf(address);
    if (isLeft(found)) return found;
    const id = fieldOf(found.right, 'sid');
    if (typeof id !== 'string') return value === '' ? right(null) : refused(`the account has no number ${address}`);
    return ask(rest, numbersAt(id), { method: 'PUT', headers, form: { VoiceUrl: value } });
  };

  return {
    check: () => ask(rest, urlOf(`${base}/v1/Accounts`, sid, 'Balance.json'), { headers }),
    owns: async (address) => map((found: unknown) => found !== undefined)(await numberOf(address)),
    attach: (address) => voiceUrl(address, inboundUrl),
    detach: (address) => voiceUrl(address, ''),
  };
};
