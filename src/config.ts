/** Environment → Config. Every mistake is reported at once, before anything is opened. */
import { left, right, type Either } from 'fp-ts/Either';

export type Role = 'api' | 'relay' | 'projector' | 'dialer';
export const ROLES: readonly Role[] = ['api', 'relay', 'projector', 'dialer'];

export interface Config {
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
  /** How long a call that the carrier can't tell about stays open, ms. */
  readonly uncertainLimitMs: number;
  /** How long a call may ring, whole seconds. */
  readonly ringSeconds: number;
  /** Dialplan context that runs AMD() and comes back; null: no answering-machine detection on ARI. */
  readonly ariAmdContext: string | null;
  /** An OpenAI-compatible endpoint; null: agents from a template are composed offline. */
  readonly languageModel: { readonly baseUrl: string; readonly apiKey: string; readonly model: string } | null;
}

type Env = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

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
  const amd = given('ARI_AMD_CONTEXT');
  if (amd !== null && !/^[A-Za-z0-9_-]+$/.test(amd))
    faults.push(`ARI_AMD_CONTEXT must be the name of a dialplan context (letters, digits, - and _), not '${amd}'`);
  const modelUrl = url('OPENAI_BASE_URL');
  const modelKey = given('OPENAI_API_KEY');
  if (modelUrl !== null && modelKey === null) faults.push('OPENAI_BASE_URL is set but OPENAI_API_KEY is not');

  const config: Config = {
    roles,
    port: whole('PORT', 8000, 0, 65535),
    host: given('HOST') ?? '0.0.0.0',
    dataDir: given('DATA_DIR') ?? './data',
    publicUrl: url('PUBLIC_URL'),
    logLevel,
    bootstrapKey,
    uploadMaxBytes: whole('UPLOAD_MAX_BYTES', 10_485_760, 1, 2 ** 40),
    bodyMaxBytes: whole('BODY_MAX_BYTES', 2_097_152, 1024, 2 ** 30),
    uncertainLimitMs: whole('UNCERTAIN_LIMIT_SECONDS', 60, 1, 86_400) * 1000,
    ringSeconds: whole('RING_SECONDS', 45, 5, 600),
    ariAmdContext: amd,
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
