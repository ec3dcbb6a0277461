/** Signed downloads of what an organization keeps, and public links to a run's artifacts. */
import { isLeft, left, right, type Either } from 'fp-ts/Either';
import { runKey, runs } from '../../../projections/runs';
import { booleanText, integerText, object, required, text, withDefault, optional } from '../../core/codec';
import { notFound, rejected, type Failure } from '../../core/failure';
import type { OrganizationId } from '../../core/ids';
import { objectKey } from '../../core/object-key';
import type { Api } from '../api';
import { ARTIFACTS, artifactKey, readToken, type Artifact } from '../artifacts';
import { ok, route, type Route } from '../route';
import { FileMetadata, SignedUrl } from '../shapes/storage';

const DAY = 86_400;
const PUBLIC_LINK_SECONDS = 300;

const key = objectKey({ min: 1, example: 'campaigns/1/contacts.csv' });
const SignedUrlQuery = object('SignedUrlQuery', {
  key: required(key),
  expires_in: withDefault(integerText({ ge: 1, le: DAY }), 3600),
  inline: withDefault(booleanText, false),
  storage_backend: optional(text()),
});
const MetadataQuery = object('FileMetadataQuery', { key: required(key) });
const PublicPath = object('PublicArtifactPath', { token: required(text()), artifact: required(text()) });
const PublicQuery = object('PublicArtifactQuery', { inline: withDefault(booleanText, false) });

const denied = (message: string): Either<Failure, never> => left({ kind: 'forbidden', message });

export const storageRoutes = (api: Api): readonly Route[] => {
  const { objects, views } = api.platform;

  /** Whether the organization may read the key. Left: why not. */
  const readable = async (org: OrganizationId, wanted: string): Promise<Either<Failure, null>> => {
    if (wanted.split('/').some((part) => part === '' || part === '.' || part === '..'))
      return left(rejected('Invalid key format'));
    const [, transcript, recording, track] =
      /^(?:transcripts\/(\d+)\.txt|recordings\/(\d+)\.wav|recordings\/(\d+)\/(?:user|bot)\.wav)$/.exec(wanted) ?? [];
    const run = transcript ?? recording ?? track;
    if (run !== undefined) {
      const doc = await views.get(runs, runKey(org, Number(run)));
      const isOwn = doc !== null && ARTIFACTS.some((artifact) => artifactKey(doc, artifact) === wanted);
      return isOwn ? right(null) : denied('Access denied for this workflow run');
    }
    // `recordings/<number>/<file>` is a run's; an organization's have a folder each.
    const [, owner] = /^(?:campaigns|knowledge_base|recordings(?=\/\d+\/[^/]+\/))\/(\d+)\/.+$/.exec(wanted) ?? [];
    if (owner === undefined) return left(rejected('Invalid key format'));
    return owner === String(org) ? right(null) : denied('Access denied');
  };

  return [
    route({
      method: 'GET',
      path: '/api/v1/s3/signed-url',
      scope: 'read',
      tag: 'uploads',
      summary: 'Get a link to a file of the organization',
      query: SignedUrlQuery,
      response: { schema: SignedUrl.schema },
      failures: [400],
      handle: async ({ org, query }) => {
        const allowed = await readable(org, query.key);
        if (isLeft(allowed)) return allowed;
        const url = await objects.signDownload(query.key, query.expires_in, { inline: query.inline });
        return ok({ url, expires_in: query.expires_in });
      },
    }),
    route({
      method: 'GET',
      path: '/api/v1/s3/file-metadata',
      scope: 'read',
      tag: 'uploads',
      summary: 'Get size, type and time of a file of the organization',
      query: MetadataQuery,
      response: { schema: FileMetadata.schema },
      failures: [400],
      handle: async ({ org, query }) => {
        const allowed = await readable(org, query.key);
        if (isLeft(allowed)) return allowed;
        const info = await objects.head(query.key);
        return ok({
          key: query.key,
          metadata:
            info === null ? null : { size: info.size, content_type: info.contentType, last_modified: info.modifiedAt },
        });
      },
    }),
    route({
      method: 'GET',
      path: '/api/v1/public/download/workflow/{token}/{artifact}',
      scope: null,
      tag: 'runs',
      summary: 'Download an artifact of a run by its public link',
      params: PublicPath,
      query: PublicQuery,
      response: { mediaType: 'application/octet-stream' },
      failures: [302, 400, 404],
      handle: async ({ params, query }) => {
        const claim = await readToken(api, params.token);
        if (claim === null) return left(notFound('Invalid or expired token'));
        if (!(ARTIFACTS as readonly string[]).includes(params.artifact))
          return left(rejected('Unsupported artifact type'));
        const artifact = params.artifact as Artifact;
        const doc = await views.get(runs, runKey(claim.org, claim.run));
        const stored = doc === null ? null : artifactKey(doc, artifact);
        if (stored === null) return left(notFound(`No ${artifact} available for this workflow run`));
        const location = await objects.signDownload(stored, PUBLIC_LINK_SECONDS, { inline: query.inline });
        return right({ status: 302, body: '', type: 'text/plain', headers: { Location: location } });
      },
    }),
  ];
};
