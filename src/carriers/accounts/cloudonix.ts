/** Cloudonix REST API (developers.cloudonix.com): voice applications of a domain. */
import { map } from 'fp-ts/Either';
import { ask, createdId, digitsOf, fieldOf, listOf, nothing, type Account, type AccountDeps } from './account';
import { urlOf } from './rest';

export const cloudonixAccount = ({ rest, base, inboundUrl, applicationName, credential }: AccountDeps): Account => {
  const headers = { Authorization: `Bearer ${credential('bearer_token')}` };
  const at = (...segments: readonly string[]) =>
    urlOf(`${base}/customers/self/domains`, credential('domain_id'), ...segments);

  return {
    check: () => ask(rest, at(), { headers }),
    // The domain's id is part of the hosts that its SIP calls go to.
    keeps: (json) => {
      const uuid = fieldOf(json, 'uuid');
      return typeof uuid === 'string' && /^[A-Za-z0-9-]{1,63}$/.test(uuid) ? { domain_uuid: uuid } : null;
    },
    createApplication: () =>
      createdId(
        ask(rest, at('applications'), {
          method: 'POST',
          headers,
          json: { name: applicationName(), type: 'cxml', url: inboundUrl, method: 'POST' },
        }),
        'name',
      ),
    owns: async (address) =>
      map(({ json }: { readonly json: unknown }) =>
        listOf(json, 'dnids').some((n) =>
          [fieldOf(n, 'source'), fieldOf(n, 'dnid')].some((v) => digitsOf(String(v ?? '')) === digitsOf(address)),
        ),
      )(await ask(rest, at('dnids'), { headers })),
    attach: () =>
      ask(rest, at('applications', credential('application_name')), {
        method: 'PATCH',
        headers,
        json: { url: inboundUrl, method: 'POST' },
      }),
    detach: nothing,
  };
};
