/**
 * An archived key fails on the very next request, however the requests before it warmed whatever remembers keys. ARCHIVE_ROUNDS sets how often;
 * CI runs a thousand rounds.
 */
import { startHttp, type Client, type HttpWorld } from '../support/http';

const ALL_ROUNDS = Number(process.env.ARCHIVE_ROUNDS ?? 200);
const KEYS = '/api/v1/user/api-keys';

describe.each([
  ['in the only process, which remembers keys', true, ALL_ROUNDS],
  ['in one of several processes', false, Math.ceil(ALL_ROUNDS / 5)],
])('a key that is archived and reactivated %s', (_where, onlyProcess, rounds) => {
  let world: HttpWorld;
  let keeper: Client;
  beforeAll(async () => {
    world = await startHttp({ onlyProcess });
    keeper = await world.client();
  });
  afterAll(() => world.close());

  it(
    `is refused by the next request after each of ${rounds} archivings, and accepted by the next after each reactivation`,
    async () => {
      const { id, api_key } = (await keeper.post(KEYS, { name: 'on and off' })).body;
      const ask = async (): Promise<number> => {
        const answer = await fetch(`${world.url}/api/v1/workflow/count`, { headers: { 'X-API-Key': api_key } });
        await answer.arrayBuffer();
        return answer.status;
      };
      const change = async (method: string, path: string): Promise<number> => {
        const answer = await fetch(`${world.url}${path}`, { method, headers: { 'X-API-Key': keeper.key } });
        await answer.arrayBuffer();
        return answer.status;
      };
      const wrong: string[] = [];
      let refused = 0;
      for (let round = 0; round < rounds; round++) {
        // Requests under way while the key is archived may be answered either way; the first one after the answer may not.
        const underWay = round % 2 === 0 ? [ask(), ask(), ask()] : [];
        const archived = await change('DELETE', `${KEYS}/${id}`);
        const after = await ask();
        await Promise.all(underWay);
        const later = await ask();
        const reactivated = await change('PUT', `${KEYS}/${id}/reactivate`);
        const again = await ask();
        const seen = [archived, after, later, reactivated, again].join(' ');
        if (seen !== '200 401 401 200 200') wrong.push(`round ${round}: ${seen}`);
        refused += 1;
      }
      expect(wrong).toEqual([]);
      expect(refused).toBe(rounds);
      const types = (await world.platform.events.readStream(`apiKeys-${keeper.org}`)).map((e) => e.type);
      expect(types.filter((t) => t === 'ApiKeyArchived')).toHaveLength(rounds);
      expect(types.filter((t) => t === 'ApiKeyReactivated')).toHaveLength(rounds);
    },
    30_000 + rounds * 100,
  );
});
