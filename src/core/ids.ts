/** Stream names are built here and parsed back here; nobody else joins strings to one. */

/** An organization's id as the wire shows it. */
export type OrganizationId = number;

export const organizationStream = (org: OrganizationId): string => `organization-${org}`;
export const apiKeysStream = (org: OrganizationId): string => `apiKeys-${org}`;
export const telephonyStream = (org: OrganizationId): string => `telephony-${org}`;
export const agentStream = (org: OrganizationId, agent: number): string => `agent-${org}_${agent}`;
export const campaignStream = (org: OrganizationId, campaign: number): string => `campaign-${org}_${campaign}`;
export const contactsStream = (org: OrganizationId, campaign: number): string => `contacts-${org}_${campaign}`;
export const runStream = (org: OrganizationId, run: number): string => `run-${org}_${run}`;
export const dialingStream = (org: OrganizationId): string => `dialing-${org}`;
export const recordingsStream = (org: OrganizationId): string => `recordings-${org}`;
export const requestStream = (org: OrganizationId, hash: string): string => `request-${org}_${hash}`;
/** A value that only one holder may have; `org` null: one over all organizations. */
export const reservationStream = (org: OrganizationId | null, hash: string): string =>
  `reservation-${org ?? 'all'}_${hash}`;
export const sequenceStream = (kind: SequenceKind): string => `sequence-${kind}`;

/** Kinds of integer ids; each has a sequence of its own over all organizations. */
export type SequenceKind =
  | 'organization'
  | 'api_key'
  | 'telephony_configuration'
  | 'phone_number'
  | 'trunk'
  | 'agent'
  | 'definition'
  | 'campaign'
  | 'run'
  | 'recording';

export type StreamCategory =
  | 'organization'
  | 'apiKeys'
  | 'telephony'
  | 'agent'
  | 'campaign'
  | 'contacts'
  | 'run'
  | 'dialing'
  | 'recordings'
  | 'request'
  | 'reservation'
  | 'sequence';

/** `run-7_12` → `run`. */
export const categoryOf = (stream: string): StreamCategory => stream.slice(0, stream.indexOf('-')) as StreamCategory;

/** `run-7_12` → 12; NaN where the stream has no second part. */
export const entityOf = (stream: string): number => Number(stream.slice(stream.indexOf('_') + 1));

/** `run-7_12` → 7, `telephony-7` → 7; null for streams that belong to no organization. */
export const organizationOf = (stream: string): OrganizationId | null => {
  const rest = stream.slice(stream.indexOf('-') + 1);
  const end = rest.indexOf('_');
  const id = Number(end < 0 ? rest : rest.slice(0, end));
  return Number.isInteger(id) && id > 0 ? id : null;
};

/** Number of partitions that organizations hash onto. */
export const PARTITIONS = 64;

/** Partition of an organization: Knuth's multiplicative hash over 32 bits, upper 6 bits. */
export const partitionOf = (org: OrganizationId): number => (Math.imul(org, 0x9e3779b1) >>> 26) % PARTITIONS;
