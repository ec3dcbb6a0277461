/** Links to a run's transcript and recordings that need no key: each carries an expiring right of its own. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RunDoc } from '../../projections/runs';
import type { OrganizationId } from '../core/ids';
import type { Api } from './api';

export const ARTIFACTS = ['transcript', 'recording', 'user_recording', 'bot_recording'] as const;
export type Artifact = (typeof ARTIFACTS)[number];

/** Seconds that a link lives; every read of the run makes a new one. */
const LIVES = 7 * 24 * 3600;

/** Storage key of an artifact; null: the run has none. */
export const artifactKey = (doc: RunDoc, artifact: Artifact): string | null => {
  switch (artifact) {
    case 'transcript':
      return doc.transcript_key;
    case 'recording':
      return doc.recordings.mixed;
    case 'user_recording':
      return doc.recordings.user;
    case 'bot_recording':
      return doc.recordings.bot;
  }
};

const signature = async (api: Api, claims: string): Promise<Buffer> =>
  createHmac('sha256', await api.platform.vault.secret('public-artifacts'))
    .update(claims)
    .digest();

/** Token for one run. */
const mint = async (api: Api, org: OrganizationId, run: number): Promise<string> => {
  const claims = `${org}.${run}.${Math.floor(api.platform.clock.now() / 1000) + LIVES}`;
  return `${Buffer.from(claims).toString('base64url')}.${(await signature(api, claims)).toString('base64url')}`;
};

/** What a token gives a right to; null: nothing, or not any more. */
export const readToken = async (
  api: Api,
  token: string,
): Promise<{ readonly org: OrganizationId; readonly run: number } | null> => {
  const [encoded = '', signed = ''] = token.split('.');
  const claims = Buffer.from(encoded, 'base64url').toString();
  const given = Buffer.from(signed, 'base64url');
  const expected = await signature(api, claims);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const [org = 0, run = 0, expires = 0] = claims.split('.').map(Number);
  return api.platform.clock.now() < expires * 1000 ? { org, run } : null;
};

/** The fields of a run's record that hold public links. */
export const publicLinks = async (api: Api, doc: RunDoc) => {
  const has = (artifact: Artifact): boolean => artifactKey(doc, artifact) !== null;
  const token = ARTIFACTS.some(has) ? await mint(api, doc.organization, doc.id) : null;
  const link = (artifact: Artifact): string | null =>
    token !== null && has(artifact) ? `${api.publicUrl}/api/v1/public/download/workflow/${token}/${artifact}` : null;
  return {
    transcript_public_url: link('transcript'),
    recording_public_url: link('recording'),
    user_recording_public_url: link('user_recording'),
    bot_recording_public_url: link('bot_recording'),
    public_access_token: token,
  };
};
