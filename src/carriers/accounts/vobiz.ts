/** Vobiz REST API v1 (vobiz.ai/docs): Plivo's shape for applications, numbers attached to an application one by one. */
import { isLeft, map } from 'fp-ts/Either';
import { ask, createdId, digitsOf, fieldOf, listOf, type Account, type AccountDeps } from './account';
import { urlOf } from './rest';

export const vobizAccount = ({ rest, base, inboundUrl, applicationName, credential }: AccountDeps): Account => {
  const id = credential('auth_id');
  const application = credential('application_id');
  const headers = { 'X-Auth-ID': id, 'X-Auth-Token': credential('auth_token') };
  const accounts = `${base}/api/v1/Account`;
  const slashed = (url: string | null): string | null => (url === null ? null : `${url}/`);
  const ofNumber = (address: string) => urlOf(accounts, id, 'numbers', address, 'application');
  const answer = { answer_url: inboundUrl, answer_method: 'POST' };

  return {
    check: () => ask(rest, `${base}/api/v1/auth/me`, { headers }),
    createApplication: () =>
      createdId(
        ask(rest, slashed(urlOf(accounts, id, 'Application')), {
          method: 'POST',
          headers,
          json: { app_name: applicationName(), ...answer },
        }),
        'app_id',
      ),
    owns: async (address) => {
      const url = urlOf(accounts, id, 'numbers');
      const search = new URLSearchParams({ search: digitsOf(address), per_page: '100' }).toString();
      const found = await ask(rest, url === null ? null : `${url}?${search}`, { headers });
      return map(({ json }: { readonly json: unknown }) =>
        listOf(json, 'items').some((n) => digitsOf(String(fieldOf(n, 'e164') ?? '')) === digitsOf(address)),
      )(found);
    },
    attach: async (address) => {
      const url = slashed(urlOf(accounts, id, 'Application', application));
      const pointed = await ask(rest, url, { method: 'POST', headers, json: answer });
      if (isLeft(pointed)) return pointed;
      return ask(rest, ofNumber(address), { method: 'POST', headers, json: { application_id: application } });
    },
    detach: (address) => ask(rest, ofNumber(address), { method: 'DELETE', headers, expected: [404] }),
  };
};
