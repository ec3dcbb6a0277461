/** Plivo REST API v1 (plivo.com/docs/voice/api/application). The application's answer URL serves all its numbers, so none is ever cleared. */
import { map } from 'fp-ts/Either';
import { ask, createdId, digitsOf, nothing, type Account, type AccountDeps } from './account';
import { basic, urlOf } from './rest';

export const plivoAccount = ({ rest, base, inboundUrl, applicationName, credential }: AccountDeps): Account => {
  const id = credential('auth_id');
  const headers = { Authorization: basic(id, credential('auth_token')) };
  const accounts = `${base}/v1/Account`;
  // Its paths end in a slash.
  const url = (...segments: readonly string[]): string | null => {
    const made = urlOf(accounts, id, ...segments);
    return made === null ? null : `${made}/`;
  };
  const answer = { answer_url: inboundUrl, answer_method: 'POST' };

  return {
    check: () => ask(rest, url(), { headers }),
    createApplication: () =>
      createdId(
        ask(rest, url('Application'), {
          method: 'POST',
          headers,
          json: { app_name: applicationName(), ...answer, hangup_url: '' },
        }),
        'app_id',
      ),
    owns: async (address) =>
      map(({ status }: { readonly status: number }) => status !== 404)(
        await ask(rest, url('Number', digitsOf(address)), { headers, expected: [404] }),
      ),
    attach: () =>
      ask(rest, url('Application', credential('application_id')), { method: 'POST', headers, json: answer }),
    detach: nothing,
  };
};
