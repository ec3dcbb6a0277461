/** Live connections to carrier accounts: one per telephony configuration in use, with its credentials unsealed, renewed when these change. */
import type { OrganizationId } from '../core/ids';
import type { Platform } from '../engine/platform';
import type { Carrier, CarrierConnection, CarrierReadiness, CallNews, KnownCall } from '../ports/carrier';
import { pause } from '../engine/pause';
import type { ConfigurationState } from './model';

export interface Connections {
  /** Has a connection opened, or renewed where the credentials are not those it was opened with. */
  want(org: OrganizationId, id: number, config: ConfigurationState): void;
  readiness(org: OrganizationId, id: number): CarrierReadiness;
  get(org: OrganizationId, id: number): CarrierConnection | null;
  /** The carrier asks to wait: the gate is shut for so long. */
  shut(org: OrganizationId, id: number, reason: string, ms: number): void;
  /** Closes one that is not needed any more. */
  drop(org: OrganizationId, id: number): void;
  /** Closes what is open for an organization; resolves when it is closed. */
  close(org: OrganizationId): Promise<void>;
  closeAll(): Promise<void>;
}

export interface ConnectionsDeps {
  readonly platform: Pick<Platform, 'seals' | 'clock' | 'log' | 'installation'>;
  readonly carriers: ReadonlyMap<string, Carrier>;
  readonly signal: AbortSignal;
  readonly news: (org: OrganizationId, news: CallNews) => void;
  /** A gate may have opened or shut. */
  readonly changed: (org: OrganizationId) => void;
  /** Calls of the configuration that this process follows, for a renewed connection. */
  readonly followed: (org: OrganizationId, id: number) => readonly KnownCall[];
  /** How long a connection that is replaced may wait for its place requests to be answered, ms. */
  readonly drainMs: number;
}

interface Entry {
  readonly org: OrganizationId;
  readonly id: number;
  seal: string;
  connection: CarrierConnection | null;
  /** Shown while there is no connection. */
  problem: string;
  shutUntil: number;
  shutReason: string;
  closed: boolean;
}

const RETRY_MS = 1000;

export const carrierConnections = (deps: ConnectionsDeps): Connections => {
  const { clock, log, seals, installation } = deps.platform;
  const entries = new Map<string, Entry>();
  const keyOf = (org: OrganizationId, id: number): string => `${org}/${id}`;

  const drained = async (connection: CarrierConnection): Promise<void> => {
    const until = clock.monotonic() + deps.drainMs;
    while (connection.placing() > 0 && clock.monotonic() < until && !deps.signal.aborted)
      await pause(clock, 20, deps.signal);
    await connection.close().catch((error: unknown) => log.warn({ err: error }, 'a carrier connection did not close'));
  };

  const unseal = async (
    entry: Entry,
    config: ConfigurationState,
  ): Promise<Readonly<Record<string, unknown>> | null> => {
    while (!entry.closed && !deps.signal.aborted && entry.seal === config.credentials.$sealed) {
      try {
        const opened = await seals.open(entry.org, config.credentials);
        if (opened !== null) return opened as Readonly<Record<string, unknown>>;
        entry.problem = 'the credentials of the telephony configuration are gone';
        deps.changed(entry.org);
        return null;
      } catch (error) {
        entry.problem = 'the credentials of the telephony configuration cannot be opened';
        log.warn({ org: entry.org, configuration: entry.id, err: error }, entry.problem);
        await pause(clock, RETRY_MS, deps.signal);
      }
    }
    return null;
  };

  const connect = async (entry: Entry, config: ConfigurationState, carrier: Carrier): Promise<void> => {
    const before = entry.connection;
    entry.connection = null;
    entry.problem = 'connecting to the carrier';
    if (before !== null) await drained(before);
    const credentials = await unseal(entry, config);
    if (credentials === null || entry.closed || entry.seal !== config.credentials.$sealed) return;
    const { org, id } = entry;
    try {
      const connection: CarrierConnection = carrier.connect(
        { organizationId: org, configurationId: id, credentials, installation },
        { news: (news) => deps.news(org, news), readinessChanged: () => deps.changed(org) },
      );
      entry.connection = connection;
      const known = deps.followed(org, id);
      if (known.length > 0) connection.adopt(known);
    } catch (error) {
      entry.problem = `the carrier cannot be used: ${(error as Error).message}`;
      log.error({ org, configuration: id, err: error }, entry.problem);
    }
    deps.changed(org);
  };

  const closeEntry = async (key: string, entry: Entry): Promise<void> => {
    entry.closed = true;
    entries.delete(key);
    const open = entry.connection;
    entry.connection = null;
    if (open !== null) await drained(open);
  };

  return {
    want: (org, id, config) => {
      const key = keyOf(org, id);
      const known = entries.get(key);
      if (known !== undefined && known.seal === config.credentials.$sealed) return;
      const carrier = deps.carriers.get(config.provider);
      const entry: Entry = known ?? {
        org,
        id,
        seal: '',
        connection: null,
        problem: '',
        shutUntil: 0,
        shutReason: '',
        closed: false,
      };
      entry.seal = config.credentials.$sealed;
      entry.shutUntil = 0;
      entries.set(key, entry);
      if (carrier === undefined) entry.problem = `calls over ${config.provider} are not possible here`;
      else void connect(entry, config, carrier);
    },
    readiness: (org, id) => {
      const entry = entries.get(keyOf(org, id));
      if (entry === undefined) return { ready: false, reason: 'not connected to the carrier yet', until: null };
      if (entry.connection === null) return { ready: false, reason: entry.problem, until: null };
      const shutFor = entry.shutUntil - clock.monotonic();
      if (shutFor > 0) return { ready: false, reason: entry.shutReason, until: clock.now() + Math.ceil(shutFor) };
      return entry.connection.readiness();
    },
    get: (org, id) => entries.get(keyOf(org, id))?.connection ?? null,
    shut: (org, id, reason, ms) => {
      const entry = entries.get(keyOf(org, id));
      if (entry === undefined) return;
      entry.shutUntil = Math.max(entry.shutUntil, clock.monotonic() + ms);
      entry.shutReason = reason;
      deps.changed(org);
    },
    drop: (org, id) => {
      const key = keyOf(org, id);
      const entry = entries.get(key);
      if (entry !== undefined) void closeEntry(key, entry);
    },
    close: async (org) => {
      await Promise.all([...entries].filter(([, e]) => e.org === org).map(([key, e]) => closeEntry(key, e)));
    },
    closeAll: async () => {
      await Promise.all([...entries].map(([key, e]) => closeEntry(key, e)));
    },
  };
};
