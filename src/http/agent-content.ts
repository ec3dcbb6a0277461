/** The secrets of what an agent says: sealed before anything is stored. */
import type { Json } from '../core/event';
import { isSealed } from '../core/event-types';
import type { OrganizationId } from '../core/ids';
import type { VersionContent } from '../domain/agent/events';
import { mapSecrets, sealSecrets } from '../domain/agent/secrets';
import { sealForOrganization } from '../engine/seal';
import type { Api } from './api';

const FIELD = 'agent.secret';

export const sealContent = (api: Api, org: OrganizationId, content: VersionContent): Promise<VersionContent> =>
  sealSecrets(content, (plain) => sealForOrganization(api.platform.vault, org, FIELD, plain));

/** The content with its secrets readable; one whose key is gone is null. */
export const openContent = async (api: Api, org: OrganizationId, content: VersionContent): Promise<VersionContent> => {
  const sealed: Json[] = [];
  mapSecrets(content, (value) => {
    sealed.push(value);
    return value;
  });
  const opened = await Promise.all(
    sealed.map((value) => (isSealed(value) ? api.platform.seals.open(org, value) : Promise.resolve(value))),
  );
  let next = 0;
  return mapSecrets(content, () => opened[next++] ?? null);
};
