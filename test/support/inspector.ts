/** The heap of another Node process, asked through its inspector (started with --inspect). */
import { once } from 'node:events';
import WebSocket from 'ws';

export interface HeapWitness {
  /** Bytes of the heap in use after a garbage collection. */
  usedHeap(): Promise<number>;
  close(): void;
}

/** `url`: what the process printed after 'Debugger listening on'. */
export const inspectHeap = async (url: string): Promise<HeapWitness> => {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await once(socket, 'open');
  const waiting = new Map<number, (result: Record<string, unknown>) => void>();
  socket.on('message', (text) => {
    const { id, result } = JSON.parse(String(text as Buffer)) as { id?: number; result?: Record<string, unknown> };
    if (id !== undefined) waiting.get(id)?.(result ?? {});
  });
  let next = 0;
  const ask = (method: string): Promise<Record<string, unknown>> =>
    new Promise((resolve) => {
      const id = ++next;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method }));
    });
  return {
    usedHeap: async () => {
      // Twice: the first collection lets finalizers run, the second takes what they let go.
      await ask('HeapProfiler.collectGarbage');
      await ask('HeapProfiler.collectGarbage');
      return Number((await ask('Runtime.getHeapUsage'))['usedSize']);
    },
    close: () => socket.close(),
  };
};
