/** The ARI variant's fields, read from a configuration's credentials. Pure. */
import * as E from 'fp-ts/Either';
import { defaultTemplate } from './dial-string';
import type { AriCredentials } from './options';

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Left: what is wrong, without any value. */
export const readCredentials = (fields: Readonly<Record<string, unknown>>): E.Either<string, AriCredentials> => {
  const endpoint = text(fields['ari_endpoint']);
  const user = text(fields['app_name']);
  const password = text(fields['app_password']);
  if (endpoint === null || user === null || password === null)
    return E.left('The configuration lacks ari_endpoint, app_name or app_password');
  if (!/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : ''))
    return E.left('ari_endpoint is not an http or https address');
  return E.right({ endpoint, user, password, template: text(fields['dial_string_template']) ?? defaultTemplate });
};
