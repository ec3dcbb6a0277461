/** What a NATS server has stored, gone: its streams and, as they are streams too, its key-value buckets. */
import { connect } from 'nats';

/** Answers the names of what was lost. */
export const loseStore = async (url: string): Promise<readonly string[]> => {
  const connection = await connect({ servers: new URL(url).host, timeout: 5000 });
  try {
    const streams = await connection.jetstreamManager();
    const lost: string[] = [];
    for await (const { config } of streams.streams.list()) lost.push(config.name);
    for (const name of lost) await streams.streams.delete(name);
    return lost;
  } finally {
    await connection.close();
  }
};
