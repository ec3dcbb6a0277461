/** What is shown of an installation on served engines: the main job, and kill -9 at random moments. */
import { campaignFaults, startSite, type Site, type SiteOptions } from './site';

const seed = Number(process.env['SEED'] ?? Date.now() % 100_000);

export interface Extent {
  readonly retries: number;
  readonly kills: number;
}

/** Declares both for one installation, which runs from the first to the last; `options` is asked when its engines run. */
export const siteSuites = (title: string, extent: Extent, options: () => SiteOptions): void => {
  describe(title, () => {
    let site: Site;
    beforeAll(async () => {
      site = await startSite(options());
    }, 120_000);
    afterAll(() => site?.dispose());

    it(`main job: every contact of a campaign ends once, and both witnesses agree (seed ${seed})`, async () => {
      const plan = { contacts: 100, retries: extent.retries, seed, kills: 0 };
      expect(await campaignFaults(site, plan)).toEqual([]);
    }, 300_000);

    it(`kill -9: no attempt is placed twice and nobody is forgotten through ${extent.kills} kills (seed ${seed})`, async () => {
      const plan = { contacts: 150, retries: 0, seed: seed + 1, kills: extent.kills };
      expect(await campaignFaults(site, plan)).toEqual([]);
    }, 300_000);
  });
};
