/** Environment → Config. Every mistake is reported at once, before anything is opened. */
import { left, right, type Either } from 'fp-ts/Either';
import { ACCOUNT_CARRIERS, type AccountCarrier } from './carriers/accounts';

export type Role = 'api' | 'relay' | 'projector' | 'dialer';
export const ROLES: readonly Role[] = ['api', 'relay', 'projector', 'dialer'];

/** Engines by URL; null: the embedded one. */
export interface EngineUrls {
  readonly eventStore: string | null;
  readonly mongo: string | null;
  readonly nats: string | null;
  /** `publicEndpoint`: where clients reach the store, if elsewhere. */
  readonly s3: { readonly endpoint: string; readonly bucket: string; readonly publicEndpoint: string | null } | null;
  /** Wraps the vault's keys in MongoDB; null: the embedded vault. `previous`: keys of before a rotation. */
  readonly vaultMasterKey: { readonly current: string; readonly previous: readonly string[] } | null;
}

export interface Config {
  readonly engines: EngineUrls;
  readonly roles: ReadonlySet<Role>;
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  /** Where clients reach us, without trailing slash; null: `http://localhost:<port>`. */
  readonly publicUrl: string | null;
  readonly logLevel: string;
  /** The first organization's key, for scripts; null: a random one is made and printed once. */
  readonly bootstrapKey: string | null;
  /** Bytes. */
  readonly uploadMaxBytes: number;
  readonly bodyMaxBytes: number;
  /** Keep the auditors' index (every event by organization) among the read models. */
  readonly auditIndex: boolean;
  /** Base URLs of carriers' account APIs by provider, where they are not the carriers' own. */
  readonly carrierUrls: Readonly<Partial<Record<AccountCarrier, string>>>;
  /** How long a call that the carrier can't tell about stays open, ms. */
  readonly uncertainLimitMs: number;
  /** How long a call may ring, whole seconds. */
  readonly ringSeconds: number;
  /** Dialplan context that runs AMD() and comes back; null: no answering-machine detection on ARI. */
  readonly ariAmdContext: string | null;
  /** Dialplan context whose hangup handler writes down how a call ended; null: a call that ended while we were away stays uncertain. */
  readonly ariHangupContext: string | null;
  /** An OpenAI-compatible endpoint; null: agents from a template are composed offline. */
  readonly languageModel: { readonly baseUrl: string; readonly apiKey: string; readonly model: string } | null;
}

type Env = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const ENGINE_VARIABLES: Readonly<Record<keyof EngineUrls, string>> = {
  eventStore: 'EVENTSTORE_URL',
  mongo: 'MONGO_URL',
  nats: 'NATS_URL',
  s3: 'S3_ENDPOINT with S3_BUCKET',
  vaultMasterKey: 'VAULT_MASTER_KEY',
};

const readEngines = (
  given: (name: string) => string | null,
  url: (name: string) => string | null,
  faults: string[],
): EngineUrls => {
  const connection = (name: string, protocols: RegExp, example: string): string | null => {
    const value = given(name);
    if (value === null || protocols.test(value)) return value;
    faults.push(`${name} must look like ${example}`);
    return null;
  };
  const mongo = connection('MONGO_URL', /^mongodb(\+srv)?:\/\/./, 'mongodb://host:27017');
  const endpoint = url('S3_ENDPOINT');
  const bucket = given('S3_BUCKET');
  if ((endpoint === null) !== (bucket === null)) faults.push('S3_ENDPOINT and S3_BUCKET go together');
  const masterKey = given('VAULT_MASTER_KEY');
  if (masterKey !== null && mongo === null)
    faults.push('VAULT_MASTER_KEY wraps keys that are kept in MongoDB: set MONGO_URL too');
  return {
    eventStore: connection('EVENTSTORE_URL', /^(esdb|kurrentdb)(\+discover)?:\/\/./, 'esdb://host:2113?tls=false'),
    mongo,
    nats: connection('NATS_URL', /^(nats|tls|wss?):\/\/./, 'nats://host:4222'),
    s3: endpoint === null || bucket === null ? null : { endpoint, bucket, publicEndpoint: url('S3_PUBLIC_ENDPOINT') },
    vaultMasterKey:
      masterKey === null
        ? null
        : {
            current: masterKey,
            previous: (given('VAULT_PREVIOUS_MASTER_KEYS') ?? '').split(',').filter((k) => k !== ''),
          },
  };
};

/** Whether all engines are served by other programs, so that nothing of this process's own lies in its data folder. */
export const isShared = (engines: EngineUrls): boolean => Object.values(engines).every((engine) => engine !== null);

/** Reads the environment; Left: every mistake, one line each. */
export const readConfig = (env: Env): Either<readonly string[], Config> => {
  const faults: string[] = [];
  const given = (name: string): string | null => {
    const value = env[name]?.trim();
    return value === undefined || value === '' ? null : value;
  };
  const whole = (name: string, fallback: number, min: number, max: number): number => {
    const value = given(name);
    if (value === null) return fallback;
    const n = Number(value);
    if (Number.isInteger(n) && n >= min && n <= max) return n;
    faults.push(`${name} must be a whole number from ${min} to ${max}, not '${value}'`);
    return fallback;
  };
  const flag = (name: string): boolean => {
    const value = given(name)?.toLowerCase() ?? 'off';
    if (!['on', 'off', 'true', 'false', '1', '0'].includes(value))
      faults.push(`${name} must be on or off, not '${value}'`);
    return ['on', 'true', '1'].includes(value);
  };
  const url = (name: string): string | null => {
    const value = given(name);
    if (value === null) return null;
    if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value.replace(/\/+$/, '');
    faults.push(`${name} must be an http:// or https:// URL, not '${value}'`);
    return null;
  };
  const roles = ((): ReadonlySet<Role> => {
    const words = (given('ROLE') ?? 'all').split(',').map((w) => w.trim());
    const unknown = words.filter((w) => w !== 'all' && !ROLES.includes(w as Role));
    if (unknown.length > 0)
      faults.push(`ROLE must be 'all' or a list of ${ROLES.join(', ')}; unknown: ${unknown.join(', ')}`);
    return new Set(words.includes('all') ? ROLES : (words as Role[]));
  })();
  const logLevel = given('LOG_LEVEL') ?? 'info';
  if (!LOG_LEVELS.includes(logLevel))
    faults.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not '${logLevel}'`);
  const bootstrapKey = given('LEDGERLINE_BOOTSTRAP_KEY');
  if (bootstrapKey !== null && bootstrapKey.length < 16)
    faults.push('LEDGERLINE_BOOTSTRAP_KEY must have at least 16 characters');
  const modelUrl = url('OPENAI_BASE_URL');
  const modelKey = given('OPENAI_API_KEY');
  if (modelUrl !== null && modelKey === null) faults.push('OPENAI_BASE_URL is set but OPENAI_API_KEY is not');

  const context = (name: string): string | null => {
    const value = given(name);
    if (value !== null && !/^[A-Za-z0-9_-]+$/.test(value))
      faults.push(`${name} must be the name of a dialplan context (letters, digits, - and _), not '${value}'`);
    return value;
  };
  const engines = readEngines(given, url, faults);
  const missing = Object.entries(ENGINE_VARIABLES).filter(([engine]) => engines[engine as keyof EngineUrls] === null);
  // With none of them set it is one process on a folder of its own, whatever its role; the folder's lock refuses a second one.
  if (roles.size < ROLES.length && missing.length > 0 && missing.length < Object.keys(ENGINE_VARIABLES).length)
    faults.push(
      `ROLE=${given('ROLE') ?? ''} shares its engines with other processes, so it also needs ${missing.map(([, name]) => name).join(', ')}`,
    );

  const config: Config = {
    engines,
    roles,
    port: whole('PORT', 8000, 0, 65535),
    host: given('HOST') ?? '0.0.0.0',
    dataDir: given('DATA_DIR') ?? './data',
    publicUrl: url('PUBLIC_URL'),
    logLevel,
    bootstrapKey,
    uploadMaxBytes: whole('UPLOAD_MAX_BYTES', 10_485_760, 1, 2 ** 40),
    bodyMaxBytes: whole('BODY_MAX_BYTES', 2_097_152, 1024, 2 ** 30),
    auditIndex: flag('AUDIT_INDEX'),
    carrierUrls: Object.fromEntries(
      ACCOUNT_CARRIERS.flatMap((carrier) => {
        const base = url(`CARRIER_URL_${carrier.toUpperCase()}`);
        return base === null ? [] : [[carrier, base]];
      }),
    ),
    uncertainLimitMs: whole('UNCERTAIN_LIMIT_SECONDS', 60, 1, 86_400) * 1000,
    ringSeconds: whole('RING_SECONDS', 45, 5, 600),
    ariAmdContext: context('ARI_AMD_CONTEXT'),
    ariHangupContext: context('ARI_HANGUP_CONTEXT'),
    languageModel:
      modelKey === null
        ? null
        : {
            baseUrl: modelUrl ?? 'https://api.openai.com/v1',
            apiKey: modelKey,
            model: given('OPENAI_MODEL') ?? 'gpt-4o-mini',
          },
  };
  return faults.length > 0 ? left(faults) : right(config);
};
