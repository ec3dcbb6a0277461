import { world } from '../support/dialer-world';

it('calls every contact of a campaign, retries whom it should, and completes', async () => {
  const w = await world();
  const campaign = await w.campaign(50);
  const { dialer } = await w.process();
  await w
    .until(() => w.events('CampaignCompleted').length > 0, 300_000, 'completed')
    .catch((e) => {
      console.log(dialer.explain(7, campaign), dialer.status());
      const by: Record<string, number> = {};
      for (const x of w.ledger.all) by[x.type] = (by[x.type] ?? 0) + 1;
      console.log(by);
      throw e;
    });
  expect(w.events('RunCompleted')).toHaveLength(50);
  expect(new Set(w.network.seen.map((s) => s.reference)).size).toBe(w.network.seen.length);
});
