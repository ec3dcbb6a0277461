/** An external PBX (VICIdial) reached through an ARI configuration. */
import { integer, literal, mapped, nullable, object, refine, required, withDefault } from '../../core/codec';
import { text } from './bounded';

/** Name under which we call the PBX's API. */
export const PBX_SOURCE = 'ledgerline';

const trimmed = (rules: { readonly min?: number } = {}) => mapped(text(rules), (s) => s.trim());
const isHttp = (url: string): boolean => /^https?:\/\//.test(url);

const AgentApi = object('ExternalPbxAgentApi', {
  url: required(
    refine(trimmed({ min: 1 }), (url) =>
      isHttp(url) ? null : 'The agent API URL must begin with http:// or https://',
    ),
  ),
  username: required(text({ min: 1 })),
  password: required(text({ min: 1 })),
  source: withDefault(text(), PBX_SOURCE),
});

const filled = (value: string | null): string | null => (value === null || value.trim() === '' ? null : value);

/** For lead updates: url, username and password together or not at all; without any it becomes null. */
const NonAgentApi = mapped(
  refine(
    mapped(
      object('ExternalPbxNonAgentApi', {
        url: withDefault(
          refine(nullable(trimmed()), (url) =>
            url === null || url === '' || isHttp(url)
              ? null
              : 'The non-agent API URL must begin with http:// or https://',
          ),
          null,
        ),
        username: withDefault(nullable(text()), null),
        password: withDefault(nullable(text()), null),
        source: withDefault(text(), PBX_SOURCE),
      }),
      (api) => ({ ...api, url: filled(api.url), username: filled(api.username), password: filled(api.password) }),
    ),
    ({ url, username, password }) => {
      const given = [url, username, password].filter((value) => value !== null).length;
      return given === 0 || given === 3
        ? null
        : 'The non-agent API needs its URL, username and password together, or none of them';
    },
  ),
  (api) => (api.url === null ? null : api),
);

export const ExternalPbx = object('ExternalPbx', {
  type: withDefault(literal('vicidial'), 'vicidial'),
  agent_api: required(AgentApi),
  non_agent_api: withDefault(nullable(NonAgentApi), null),
  timeout_seconds: withDefault(integer({ ge: 1, le: 30 }), 8),
});
