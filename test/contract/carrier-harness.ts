/** What the carrier contract stands on: a peer behind a wire, connections that keep their news, and calls with sensible defaults. */
import { randomBytes } from 'node:crypto';
import type {
  CallNews,
  Carrier,
  CarrierAccount,
  CarrierConnection,
  CarrierReadiness,
  PlaceCall,
  PlaceResult,
} from '../../src/ports/carrier';
import type { Wire } from '../support/simulator-wire';
import { startWire } from '../support/simulator-wire';

/** A carrier and its peer. Phones behave by the last digit of their number, see the contract. */
export interface CarrierPeer {
  readonly carrier: Carrier;
  readonly port: () => number;
  readonly host: string;
  /** The configuration's fields for a peer at this address. */
  readonly credentials: (url: string) => Readonly<Record<string, unknown>>;
  /** Fields that change these into refused ones. */
  readonly wrongCredentials: Readonly<Record<string, unknown>>;
  /** A destination of a well-formed kind that the peer cannot reach. */
  readonly unreachable: string;
  /** Seconds that a nominal second of a call takes. */
  readonly timeScale: number;
  /** Between the two looks that prove that a call is gone (ms), as the carrier was set up. */
  readonly proofMs: number;
  /** Killed: nothing is told of its calls; stopped: it ends them in order first. */
  restart(how: 'killed' | 'stopped'): Promise<void>;
  /** References of the calls that the peer has, by its own account. */
  channels(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export interface Line {
  readonly connection: CarrierConnection;
  readonly news: CallNews[];
  readonly readiness: CarrierReadiness[];
  readonly wire: Wire;
  place(to: string, more?: Partial<PlaceCall>): Promise<{ readonly reference: string; readonly result: PlaceResult }>;
  /** Waits for this kind of news of a call; rejects when it does not come. */
  heard<K extends CallNews['kind']>(
    reference: string,
    kind: K,
    withinMs?: number,
  ): Promise<Extract<CallNews, { kind: K }>>;
  kinds(reference: string): readonly string[];
}

/** The phone that its last digit means. */
export const numberEnding = (digit: number): string => `+1555010${digit}`;

export const person = numberEnding(1);
export const stays = numberEnding(4);
export const ringsForEver = numberEnding(6);

/** How long the proof that a call is gone may take, ms. */
export const proofTime = (peer: CarrierPeer): number => 4 * peer.proofMs + 4_000;

/** A call that was answered and stays up. */
export const answeredCall = async (line: Line, more?: Partial<PlaceCall>): Promise<string> => {
  const { reference, result } = await line.place(stays, more);
  expect(result).toEqual({ kind: 'placed', carrierCallId: null });
  await line.heard(reference, 'answered');
  return reference;
};

/** A call that rings and goes on ringing. */
export const ringingCall = async (line: Line, more?: Partial<PlaceCall>): Promise<string> => {
  const { reference } = await line.place(ringsForEver, { ringSeconds: 30, ...more });
  await line.heard(reference, 'ringing');
  return reference;
};

export const newReference = (): string => randomBytes(16).toString('hex');

/** Waits until `condition` gives something. Rejects after `timeoutMs`. */
export const eventually = async <A>(
  what: string,
  timeoutMs: number,
  condition: () => A | null | undefined | false | Promise<A | null | undefined | false>,
): Promise<A> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await condition();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

export interface Bench {
  readonly peer: CarrierPeer;
  /** A ready connection through a wire of its own. `installation`: the same one means the same application. */
  line(options?: { readonly installation?: string; readonly wrong?: boolean; readonly ready?: boolean }): Promise<Line>;
  /** Nominal seconds of a call, in ms of ours. */
  seconds(n: number): number;
  /** Ends what the test opened; calls that are left are ended, too. */
  clear(): Promise<void>;
}

let installations = 0;

export const newBench = (peer: CarrierPeer): Bench => {
  const lines: Line[] = [];
  const seconds = (n: number): number => n * 1000 * peer.timeScale;

  const line: Bench['line'] = async (options = {}) => {
    const wire = await startWire(peer.port(), peer.host);
    const account: CarrierAccount = {
      organizationId: 1,
      configurationId: 7,
      installation: options.installation ?? `contract${process.pid}x${(installations += 1)}`,
      credentials: { ...peer.credentials(wire.url), ...(options.wrong === true ? peer.wrongCredentials : {}) },
    };
    const news: CallNews[] = [];
    const readiness: CarrierReadiness[] = [];
    const connection: CarrierConnection = peer.carrier.connect(account, {
      news: (each) => news.push(each),
      readinessChanged: () => readiness.push(connection.readiness()),
    });
    const opened: Line = {
      connection,
      news,
      readiness,
      wire,
      place: async (to, more) => {
        const reference = more?.reference ?? newReference();
        const call: PlaceCall = {
          reference,
          to,
          callerId: null,
          ringSeconds: 5,
          talkSeconds: 20,
          detectMachine: false,
          tags: { run: '1', attempt: '1' },
          ...more,
        };
        return { reference, result: await connection.place(call, () => true) };
      },
      heard: async <K extends CallNews['kind']>(reference: string, kind: K, withinMs = seconds(10) + 3_000) =>
        eventually(
          `${kind} of a call; heard: ${JSON.stringify(news.filter((each) => each.reference === reference))}`,
          withinMs,
          () =>
            news.find(
              (each): each is Extract<CallNews, { kind: K }> => each.reference === reference && each.kind === kind,
            ),
        ),
      kinds: (reference) => news.filter((each) => each.reference === reference).map(({ kind }) => kind),
    };
    lines.push(opened);
    if (options.ready !== false)
      await eventually('the connection is ready', 10_000, () => connection.readiness().ready);
    return opened;
  };

  return {
    peer,
    line,
    seconds,
    clear: async () => {
      for (const { connection, wire } of lines.splice(0)) {
        await connection.close();
        await wire.close();
      }
    },
  };
};
