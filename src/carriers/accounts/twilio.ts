/** Twilio REST API 2010-04-01 (twilio.com/docs/iam/api/account, /phone-numbers/api/incomingphonenumber-resource). Numbers carry their own URL. */
import { isLeft, map, right } from 'fp-ts/Either';
import { ask, fieldOf, listOf, type Account, type AccountDeps, type Asked } from './account';
import { basic, refused, urlOf } from './rest';

export const twilioAccount = ({ rest, base, inboundUrl, credential }: AccountDeps): Account => {
  const sid = credential('account_sid');
  const headers = { Authorization: basic(sid, credential('auth_token')) };
  const accounts = `${base}/2010-04-01/Accounts`;

  const numbers = async (address: string): Asked<readonly unknown[]> => {
    const url = urlOf(accounts, sid, 'IncomingPhoneNumbers.json');
    const search = new URLSearchParams({ PhoneNumber: address }).toString();
    const found = await ask(rest, url === null ? null : `${url}?${search}`, { headers });
    return map(({ json }: { readonly json: unknown }) =>
      listOf(json, 'incoming_phone_numbers').filter((n) => fieldOf(n, 'phone_number') === address),
    )(found);
  };
  const voiceUrl = async (address: string, value: string): Asked<unknown> => {
    const found = await numbers(address);
    if (isLeft(found)) return found;
    const id = fieldOf(found.right[0], 'sid');
    if (typeof id !== 'string') return value === '' ? right(null) : refused(`the account has no number ${address}`);
    const form = { VoiceUrl: value, VoiceMethod: 'POST' };
    return ask(rest, urlOf(accounts, sid, 'IncomingPhoneNumbers', `${id}.json`), { method: 'POST', headers, form });
  };

  return {
    check: () => ask(rest, urlOf(accounts, `${sid}.json`), { headers }),
    owns: async (address) => map((found: readonly unknown[]) => found.length > 0)(await numbers(address)),
    attach: (address) => voiceUrl(address, inboundUrl),
    detach: (address) => voiceUrl(address, ''),
  };
};
