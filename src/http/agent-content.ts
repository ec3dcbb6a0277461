/** The secrets of what an agent says: sealed before anything is stored. */
import { setImmediate } from 'node:timers/promises';
import type { Json } from '../core/event';
import { isSealed } from '../core/event-types';
import type { OrganizationId } from '../core/ids';
import type { VersionContent } from '../domain/agent/events';
import { mapSecrets, sealSecrets } from '../domain/agent/secrets';
import { sealForOrganization } from '../engine/seal';
import type { Api } from './api';

const FIELD = 'agent.secret';

/** Secrets that are sealed or opened one after the other before others get their turn: thousands would hold the event loop for seconds. */
const SLICE = 50;
const inSlices = <A, B>(work: (value: A) => Promise<B>): ((value: A) => Promise<B>) => {
  let done = 0;
  return async (value) => {
    if (++done % SLICE === 0) await setImmediate();
    return work(value);
  };
};

export const sealContent = (api: Api, org: OrganizationId, content: VersionContent): Promise<VersionContent> =>
  sealSecrets(
    content,
    inSlices((plain) => sealForOrganization(api.platform.vault, org, FIELD, plain)),
  );

/** The content with its secrets readable; one whose key is gone is null. */
export const openContent = async (api: Api, org: OrganizationId, content: VersionContent): Promise<VersionContent> => {
  const sealed: Json[] = [];
  mapSecrets(content, (value) => {
    sealed.push(value);
    return value;
  });
  const open = inSlices(async (value: Json) => (isSealed(value) ? api.platform.seals.open(org, value) : value));
  const opened: Json[] = [];
  for (const value of sealed) opened.push(await open(value));
  let next = 0;
  return mapSecrets(content, () => opened[next++] ?? null);
};
