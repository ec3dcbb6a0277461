/** Objects in any S3-compatible store, addressed by path (`endpoint/bucket/key`). */
import { Readable } from 'node:stream';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { ObjectStore } from '../../ports/object-store';
import { within } from '../../engine/within';

export interface S3Options {
  /** `http://s3:7070`; where this program reaches the store. */
  readonly endpoint: string;
  readonly bucket: string;
  /** Where clients reach the store, if elsewhere: signed URLs begin with it. */
  readonly publicEndpoint?: string;
  /** Default: AWS_REGION, or us-east-1. */
  readonly region?: string;
  /** Default: the usual AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, profiles, roles. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** Smallest part that S3 takes in the middle of a multipart upload, bytes. */
const PART = 5 * 1024 * 1024;

const statusOf = (error: unknown): number | undefined =>
  (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode;
const isMissing = (error: unknown): boolean => {
  const { name } = error as Error;
  return name === 'NoSuchKey' || name === 'NotFound' || (name !== 'NoSuchBucket' && statusOf(error) === 404);
};

/** RFC 6266; a name that is not plain ASCII goes in the extended form too. */
const dispositionOf = (inline: boolean, fileName: string | undefined): string => {
  const kind = inline ? 'inline' : 'attachment';
  if (fileName === undefined) return kind;
  const plain = fileName.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const extended = encodeURIComponent(fileName).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `${kind}; filename="${plain}"${plain === fileName ? '' : `; filename*=UTF-8''${extended}`}`;
};

const clientAt = (endpoint: string, options: S3Options): S3Client =>
  new S3Client({
    endpoint,
    region: options.region ?? process.env['AWS_REGION'] ?? 'us-east-1',
    forcePathStyle: true,
    // By default the client adds checksums that other stores refuse, and presigned URLs carry the one of an empty body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 2000, requestTimeout: 30_000 },
    ...(options.credentials === undefined ? {} : { credentials: { ...options.credentials } }),
  });

/** Connects lazily; makes the bucket at the first use where it is missing and may be made. */
export const s3ObjectStore = (options: S3Options): ObjectStore => {
  const client = clientAt(options.endpoint, options);
  const { publicEndpoint = options.endpoint } = options;
  const signer = publicEndpoint === options.endpoint ? client : clientAt(publicEndpoint, options);
  const Bucket = options.bucket;

  const makeBucket = async (): Promise<void> => {
    try {
      await client.send(new HeadBucketCommand({ Bucket }));
    } catch (error) {
      // 403: it is there, only not to be asked for.
      if (statusOf(error) === 403) return;
      if (statusOf(error) !== 404) throw error;
      await client.send(new CreateBucketCommand({ Bucket })).catch((failed: unknown) => {
        if (!/^BucketAlready/.test((failed as Error).name)) throw failed;
      });
    }
  };
  let making: Promise<void> | null = null;
  const bucket = (): Promise<void> => {
    making ??= makeBucket().catch((error: unknown) => {
      making = null;
      throw error;
    });
    return making;
  };

  return {
    put: async (key, body, contentType) => {
      await bucket();
      const object = { Bucket, Key: key, ContentType: contentType };
      if (body instanceof Uint8Array) await client.send(new PutObjectCommand({ ...object, Body: body }));
      // A stream of unknown length goes up in parts; one that breaks off leaves no object, and its parts are removed.
      else await new Upload({ client, params: { ...object, Body: body }, partSize: PART, queueSize: 2 }).done();
    },
    get: async (key) => {
      await bucket();
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key }));
        return Body instanceof Readable ? Body : Readable.from([]);
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    head: async (key) => {
      await bucket();
      try {
        const found = await client.send(new HeadObjectCommand({ Bucket, Key: key }));
        return {
          key,
          size: found.ContentLength ?? 0,
          contentType: found.ContentType ?? 'application/octet-stream',
          modifiedAt: (found.LastModified ?? new Date(0)).toISOString(),
        };
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    remove: async (key) => {
      await bucket();
      await client.send(new DeleteObjectCommand({ Bucket, Key: key })).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    },
    signUpload: async (key, contentType, expiresIn) => {
      await bucket();
      return getSignedUrl(signer, new PutObjectCommand({ Bucket, Key: key, ContentType: contentType }), {
        expiresIn,
        // Left out by default; signed, the upload must have the very content type.
        signableHeaders: new Set(['content-type', 'host']),
      });
    },
    signDownload: async (key, expiresIn, shown = {}) =>
      getSignedUrl(
        signer,
        new GetObjectCommand({
          Bucket,
          Key: key,
          ResponseContentDisposition: dispositionOf(shown.inline === true, shown.fileName),
        }),
        { expiresIn },
      ),
    ping: () =>
      within(3000, 'the object store', client.send(new HeadBucketCommand({ Bucket }))).then(
        () => undefined,
        (error: unknown) => (statusOf(error) === undefined ? Promise.reject(error) : bucket()),
      ),
    close: async () => {
      client.destroy();
      signer.destroy();
    },
  };
};
