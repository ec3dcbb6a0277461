/**
 * Documents folded from the ledger itself: what a command answers with while the read models are away, or have not followed in time. What a
 * document shows of other streams (a campaign's counters) is missing then.
 */
import { apiKeys } from '../../projections/api_keys';
import { agentVersions } from '../../projections/agent_versions';
import { agents } from '../../projections/agents';
import { campaigns } from '../../projections/campaigns';
import { organizations } from '../../projections/organizations';
import { recordings } from '../../projections/recordings';
import { telephonyConfigs } from '../../projections/telephony_configs';
import {
  agentStream,
  apiKeysStream,
  campaignStream,
  organizationStream,
  recordingsStream,
  telephonyStream,
} from '../core/ids';
import { eventCatalog } from '../domain/event-catalog';
import { prepareBatch } from '../engine/fold';
import type { Platform } from '../engine/platform';
import type { Projection, Views } from '../engine/projection';

/** The stream that a document is folded from; its key begins with the organization and the entity. */
const STREAMS: Readonly<Record<string, (org: number, id: number) => string>> = {
  [apiKeys.name]: apiKeysStream,
  [agentVersions.name]: agentStream,
  [agents.name]: agentStream,
  [campaigns.name]: campaignStream,
  [organizations.name]: organizationStream,
  [recordings.name]: recordingsStream,
  [telephonyConfigs.name]: telephonyStream,
};

const foldDocument = async <Doc extends object>(
  platform: Platform,
  projection: Projection<Doc>,
  stream: string,
  key: string,
  through: number,
): Promise<Doc | null> => {
  const opened = new Set(projection.opens);
  const masked = new Set(projection.masks ?? []);
  const types = projection.types === undefined ? null : new Set(projection.types);
  const batch = await prepareBatch(
    (await platform.events.readStream(stream)).filter((e) => e.revision <= through),
    eventCatalog,
    (org, id) => platform.seals.key(org, id),
    new Set([...opened, ...masked]),
  );
  return batch.events.reduce<Doc | null>((document, { type }, i) => {
    if (types !== null && !types.has(type)) return document;
    const event = batch.at(i, opened.has(type) ? 'opened' : masked.has(type) ? 'masked' : 'stored');
    return event !== null && projection.keys(event).includes(key) ? projection.evolve(document, event, key) : document;
  }, null);
};

/** `get` from the ledger where the document has a stream of its own, of one stream no further than a revision; all else as it was. */
export const ledgerViews = (platform: Platform, through?: { stream: string; revision: number }): Views => ({
  ...platform.views,
  find: (projection, query) => platform.views.find(projection, query),
  count: (projection, where) => platform.views.count(projection, where),
  get: <Doc extends object>(projection: Projection<Doc>, key: string) => {
    const [org = 0, id = 0] = key.split('/').map(Number);
    const stream = STREAMS[projection.name]?.(org, id);
    return stream === undefined
      ? platform.views.get(projection, key)
      : foldDocument(platform, projection, stream, key, through?.stream === stream ? through.revision : Infinity);
  },
});
