/** Telnyx API v2 (developers.telnyx.com): call control applications, whose webhook serves all their numbers. */
import { isLeft, map } from 'fp-ts/Either';
import { ask, createdId, fieldOf, listOf, nothing, type Account, type AccountDeps } from './account';
import { urlOf } from './rest';

export const telnyxAccount = ({ rest, base, inboundUrl, applicationName, credential }: AccountDeps): Account => {
  const headers = { Authorization: `Bearer ${credential('api_key')}` };
  const applications = `${base}/v2/call_control_applications`;

  return {
    check: () => ask(rest, `${base}/v2/balance`, { headers }),
    createApplication: () =>
      createdId(
        ask(rest, applications, {
          method: 'POST',
          headers,
          json: { application_name: applicationName(), webhook_event_url: inboundUrl },
        }),
        'id',
      ),
    owns: async (address) => {
      const search = new URLSearchParams({ 'filter[phone_number]': address }).toString();
      return map(({ json }: { readonly json: unknown }) =>
        listOf(json, 'data').some((n) => fieldOf(n, 'phone_number') === address),
      )(await ask(rest, `${base}/v2/phone_numbers?${search}`, { headers }));
    },
    attach: async () => {
      const url = urlOf(applications, credential('connection_id'));
      const known = await ask(rest, url, { headers });
      if (isLeft(known)) return known;
      // A change must name the application again.
      const application_name = fieldOf(fieldOf(known.right.json, 'data'), 'application_name');
      return ask(rest, url, { method: 'PATCH', headers, json: { application_name, webhook_event_url: inboundUrl } });
    },
    detach: nothing,
  };
};
