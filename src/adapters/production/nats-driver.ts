/** The one file that imports the NATS client: a connection with this program's settings. */
import { connect, type ConnectionOptions, type NatsConnection } from 'nats';
import { within } from '../../engine/within';

export { AckPolicy, DeliverPolicy, nanos, NatsError, RetentionPolicy, StorageType } from 'nats';
export type { JetStreamClient, JetStreamManager, KV, NatsConnection } from 'nats';

export interface Bus {
  /** The connection, once there is one; rejects after 3 s without. It reconnects by itself, for ever. */
  connection(): Promise<NatsConnection>;
  /** Resolves when the server answers within 2 s. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT = 3000;

/** `nats://[user:password@|token@]host:port[,…]`; `tls://` for TLS. The client itself takes hosts only. */
const connectionOptions = (url: string): ConnectionOptions => {
  const servers = url.split(',').map((one) => new URL(one.includes('://') ? one : `nats://${one}`));
  const [first] = servers;
  const user = decodeURIComponent(first?.username ?? '');
  const pass = decodeURIComponent(first?.password ?? '');
  return {
    servers: servers.map((server) => server.host),
    ...(user === '' ? {} : pass === '' ? { token: user } : { user, pass }),
    ...(first?.protocol === 'tls:' ? { tls: {} } : {}),
  };
};

export const natsBus = (url: string, name: string): Bus => {
  const options: ConnectionOptions = {
    ...connectionOptions(url),
    name: `ledgerline ${name}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    reconnectJitter: 50,
    timeout: CONNECT_TIMEOUT,
    // A server that stands still is noticed after two of these.
    pingInterval: 3000,
    maxPingOut: 2,
    noAsyncTraces: true,
  };
  let connecting: Promise<NatsConnection> | null = null;
  let isClosed = false;

  const open = async (): Promise<NatsConnection> => {
    if (isClosed) throw new Error('the bus is closed');
    const made = await connect(options);
    // Closed for good (by an error that the client gives up on, or by us): the next call makes another.
    void made.closed().then(() => {
      connecting = null;
    });
    if (isClosed) await made.close();
    return made;
  };
  const connection = (): Promise<NatsConnection> => {
    if (connecting === null) {
      const attempt = open();
      connecting = attempt;
      attempt.catch(() => {
        if (connecting === attempt) connecting = null;
      });
    }
    return within(CONNECT_TIMEOUT + 500, 'NATS', connecting);
  };

  return {
    connection,
    ping: async () => {
      const nc = await connection();
      await within(2000, 'NATS', nc.flush());
    },
    close: async () => {
      isClosed = true;
      const made = await connecting?.catch(() => null);
      await made?.close();
    },
  };
};
