/** The port `carrier-accounts` over the carriers' REST APIs. Places no call. */
import { randomBytes } from 'node:crypto';
import { isLeft, right } from 'fp-ts/Either';
import type { AccountRequest, CarrierAccounts } from '../../ports/carrier-accounts';
import type { Account, AccountDeps } from './account';
import { cloudonixAccount } from './cloudonix';
import { exotelAccount, isExotels } from './exotel';
import { plivoAccount } from './plivo';
import { refused, restClient, unreachable } from './rest';
import { telnyxAccount } from './telnyx';
import { twilioAccount } from './twilio';
import { vobizAccount } from './vobiz';
import { VONAGE_NUMBERS, vonageAccount } from './vonage';

const BASE_URLS = {
  cloudonix: 'https://api.cloudonix.io',
  exotel: 'https://api.in.exotel.com',
  plivo: 'https://api.plivo.com',
  telnyx: 'https://api.telnyx.com',
  twilio: 'https://api.twilio.com',
  vobiz: 'https://api.vobiz.ai',
  vonage: 'https://api.nexmo.com',
} as const;
export type AccountCarrier = keyof typeof BASE_URLS;
export const ACCOUNT_CARRIERS = Object.keys(BASE_URLS) as readonly AccountCarrier[];

export interface CarrierAccountsOptions {
  /** Base URL under which carriers reach us. */
  readonly publicUrl: () => string;
  /** Other base URLs than the carriers' own. */
  readonly urls?: Readonly<Partial<Record<AccountCarrier, string>>>;
  /** Of one request, ms (default 5000). */
  readonly timeoutMs?: number;
}

const isKnown = (provider: string): provider is AccountCarrier => Object.hasOwn(BASE_URLS, provider);

const accountOf = (provider: AccountCarrier, deps: AccountDeps, isOverridden: boolean): Account => {
  switch (provider) {
    case 'cloudonix':
      return cloudonixAccount(deps);
    case 'exotel':
      return exotelAccount(deps);
    case 'plivo':
      return plivoAccount(deps);
    case 'telnyx':
      return telnyxAccount(deps);
    case 'twilio':
      return twilioAccount(deps);
    case 'vobiz':
      return vobizAccount(deps);
    case 'vonage':
      return vonageAccount(deps, isOverridden ? deps.base : VONAGE_NUMBERS);
  }
};

export const carrierAccounts = (options: CarrierAccountsOptions): CarrierAccounts => {
  const open = ({ provider, credentials }: AccountRequest): Account | string => {
    if (!isKnown(provider)) return `there is no way to ${provider}`;
    const credential = (name: string): string => {
      const value = credentials[name];
      return typeof value === 'string' ? value : '';
    };
    const override = options.urls?.[provider];
    const named = provider === 'exotel' ? credential('api_base_url').replace(/(?<!\/)\/+$/, '') : '';
    if (override === undefined && named !== '' && !isExotels(named)) return 'api_base_url is no address of Exotel';
    return accountOf(
      provider,
      {
        rest: restClient({
          timeoutMs: options.timeoutMs ?? 5000,
          secrets: Object.values(credentials).filter((v) => typeof v === 'string'),
        }),
        base: override ?? (named === '' ? BASE_URLS[provider] : named),
        inboundUrl: `${options.publicUrl()}/api/v1/telephony/inbound/run`,
        applicationName: () => `ledgerline-${randomBytes(6).toString('hex')}`,
        credential,
      },
      override !== undefined,
    );
  };

  return {
    check: async (request) => {
      const account = open(request);
      if (typeof account === 'string') return unreachable(account);
      const answer = await account.check();
      return isLeft(answer) ? answer : right(account.keeps?.(answer.right.json) ?? null);
    },
    createApplication: async (request) => {
      const account = open(request);
      if (typeof account === 'string') return unreachable(account);
      return account.createApplication?.() ?? unreachable('this carrier has no applications to create');
    },
    ownsNumber: async (request, address) => {
      const account = open(request);
      if (typeof account === 'string') return unreachable(account);
      const answer = await account.owns(address);
      if (isLeft(answer)) return answer;
      return answer.right
        ? right(null)
        : refused(`The number ${address} does not belong to this ${request.provider} account; add it there first.`);
    },
    routeNumber: async (request, address, attached) => {
      const account = open(request);
      if (typeof account === 'string') return unreachable(account);
      const answer = await (attached ? account.attach(address) : account.detach(address));
      return isLeft(answer) ? answer : right(null);
    },
  };
};
