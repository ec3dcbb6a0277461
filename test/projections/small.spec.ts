import { apiKeyKey, apiKeyRecord, apiKeys } from '../../projections/api_keys';
import { events } from '../../projections/events';
import { projectionsWithAuditIndex as projections, readersOf } from '../../projections';
import { organizationKey, organizations } from '../../projections/organizations';
import { apiKeysStream, organizationStream } from '../../src/core/ids';
import type { ApiKeyEvent } from '../../src/domain/api-key/events';
import { eventCatalog } from '../../src/domain/event-catalog';
import { at, document, documents, expectValid, happened, type Given } from './given-events';
import { attempted, call, campaignCreated, contact, ORG } from './stories';

const tell = (event: ApiKeyEvent): Given => happened(apiKeysStream(ORG), event);
const keyCreated = tell({
  type: 'ApiKeyCreated',
  data: { api_key_id: 2, name: 'ci', key_prefix: 'llk_abcd', key_hash: 'f'.repeat(64), scopes: null },
});

it('an API key is active until it is archived, and again when it is reactivated', () => {
  const story = [
    keyCreated,
    tell({ type: 'ApiKeyArchived', data: { api_key_id: 2 } }),
    tell({ type: 'ApiKeyReactivated', data: { api_key_id: 2 } }),
  ];
  expectValid(story);
  const shown = story.map((_, i) => apiKeyRecord(document(apiKeys, apiKeyKey(ORG, 2), story.slice(0, i + 1))));
  expect(shown.map((k) => [k.is_active, k.archived_at])).toEqual([
    [true, null],
    [false, at(1)],
    [true, null],
  ]);
  expect(shown[0]).toEqual({
    id: 2,
    name: 'ci',
    key_prefix: 'llk_abcd',
    scopes: ['read', 'write', 'audit'],
    is_active: true,
    created_at: at(0),
    last_used_at: null,
    archived_at: null,
  });
  expect(JSON.stringify(shown)).not.toContain('ffff');
});

it('an organization has its limits', () => {
  const story = [
    happened(organizationStream(ORG), {
      type: 'OrganizationCreated',
      data: { organization_id: ORG, name: 'Acme', limits: { concurrent_calls: 100, calls_per_second: 100 } },
    }),
    happened(organizationStream(ORG), {
      type: 'LimitsChanged',
      data: { organization_id: ORG, limits: { concurrent_calls: 5, calls_per_second: 2 } },
    }),
  ];
  expectValid(story);
  expect(document(organizations, organizationKey(ORG), story)).toEqual({
    organization: ORG,
    name: 'Acme',
    limits: { concurrent_calls: 5, calls_per_second: 2 },
    created_at: at(0),
  });
});

it("the auditors' index says where an event lies, by whom and when, and nothing of what is in it", () => {
  const found = [...documents(events, [campaignCreated(), attempted(call(100))]).values()];
  expect(found).toEqual([
    expect.objectContaining({
      type: 'CampaignCreated',
      category: 'campaign',
      revision: 0,
      actor: 'api-key:1',
      at: at(0),
    }),
    expect.objectContaining({ type: 'CallAttempted', category: 'run', stream: `run-${ORG}_100`, actor: 'dialer' }),
  ]);
  expect(JSON.stringify(found)).not.toContain(contact.phone_number);
});

it('the types that projections name are types of the catalog, and names are unique', () => {
  const named = projections.flatMap((p) => [...(p.types ?? []), ...p.opens, ...(p.masks ?? [])]);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((type) => !(type in eventCatalog))).toEqual([]);
  expect(new Set(projections.map((p) => p.name)).size).toBe(projections.length);
});

it('says which read models show a change', () => {
  expect(readersOf('apiKeys')).toEqual(['api_keys']);
  expect(readersOf('agent')).toEqual(['agents', 'agent_versions']);
  expect(readersOf('campaign')).toEqual(['campaigns']);
});
