/**
 * The page at /docs in a real browser that can reach our own server and nothing else. Chromium is looked for in PATH, or named by CHROMIUM; where
 * there is none the suite is skipped by name, and with REQUIRE_ENGINES=all it fails.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { startHttp, type Client, type HttpWorld } from '../support/http';
import { makeAgent } from './furnish';

const found = ((): string | null => {
  const named = process.env['CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  for (const folder of (process.env['PATH'] ?? '').split(delimiter))
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // the next one
      }
    }
  return null;
})();

if (found === null) {
  const title = '/docs in a browser: skipped, there is no chromium in PATH and CHROMIUM is not set';
  if (process.env['REQUIRE_ENGINES'] === 'all')
    it(title, () => {
      throw new Error('REQUIRE_ENGINES=all, but there is no chromium in PATH and CHROMIUM is not set');
    });
  else {
    process.stderr.write(`${title}\n`);
    it.skip(title, () => undefined);
  }
} else
  describe('/docs in a browser', () => {
    let world: HttpWorld;
    let client: Client;
    let browser: Browser;
    let page: Page;
    /** What the page asked for elsewhere. */
    const elsewhere: string[] = [];
    /** What the browser complained of. */
    const complaints: string[] = [];

    beforeAll(async () => {
      world = await startHttp();
      client = await world.client();
      browser = await chromium.launch({
        executablePath: found,
        // Names resolve to nothing but our own address, whatever the page tries.
        args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--disable-background-networking'],
      });
      page = await browser.newPage();
      await page.route('**/*', (route) => {
        const asked = route.request().url();
        if (asked.startsWith(`${world.url}/`) || asked.startsWith('data:')) return route.continue();
        elsewhere.push(asked);
        return route.abort();
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      await page.goto(`${world.url}/docs`);
      await page.waitForSelector('body[data-ready=true]', { timeout: 20_000 });
    }, 120_000);
    afterAll(async () => {
      await browser?.close();
      await world?.close();
    });

    const operations = (): readonly { readonly id: string; readonly method: string; readonly path: string }[] =>
      Object.entries(world.document.paths).flatMap(([path, methods]) =>
        Object.entries(methods as unknown as Record<string, { operationId: string; 'x-alias-of'?: string }>).flatMap(
          ([method, operation]) => ('x-alias-of' in operation ? [] : [{ id: operation.operationId, method, path }]),
        ),
      );

    /** Opens an operation, fills its fields, runs it, and reads the answer that the page shows. */
    const run = async (id: string, fields: Readonly<Record<string, string>> = {}): Promise<string> => {
      const box = page.locator(`#${id}`);
      if ((await box.getAttribute('open')) === null) await box.locator('> summary').click();
      for (const [name, value] of Object.entries(fields)) await box.locator(`input[name="${name}"]`).fill(value);
      await box.getByRole('button', { name: 'Run' }).click();
      const answer = box.locator('pre.answer');
      await page.waitForFunction((shown) => /^\d{3} /.test(shown?.textContent ?? ''), await answer.elementHandle(), {
        timeout: 10_000,
      });
      return (await answer.textContent()) ?? '';
    };

    it('lists every operation of the document, once, with its method, path and summary', async () => {
      expect(operations().length).toBeGreaterThan(60);
      const shown = await page.locator('main details[data-text]').evaluateAll((boxes) =>
        boxes.map((box) => ({
          id: box.id,
          method: (box.querySelector('summary b')?.textContent ?? '').toLowerCase(),
          path: box.querySelector('summary code')?.textContent ?? '',
        })),
      );
      const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
      expect(shown.sort(byId)).toEqual([...operations()].sort(byId));
    });

    it('opens each of them with a form that can be run', async () => {
      const boxes = page.locator('main details[data-text]');
      const toggle = () => boxes.evaluateAll((all) => all.forEach((box) => box.toggleAttribute('open')));
      await toggle();
      expect(await page.locator('main details[data-text] button:has-text("Run")').count()).toBe(operations().length);
      const forms = await boxes.evaluateAll((all) => all.map((box) => box.querySelectorAll('button').length));
      expect(new Set(forms)).toEqual(new Set([1]));
      await toggle();
    });

    it('runs an operation without a key and shows that it is refused', async () => {
      expect(await run('get_api_v1_workflow_count')).toMatch(/^401 /);
    });

    it('runs operations with an API key and shows their answers', async () => {
      const agent = await makeAgent(client);
      await page.fill('#key', client.key);
      expect(await run('get_api_v1_workflow_count')).toMatch(/^200 [^]*"total": 1/);
      const fetched = await run('get_api_v1_workflow_fetch_workflow_id', { workflow_id: String(agent) });
      expect(fetched).toMatch(/^200 /);
      expect(JSON.parse(fetched.slice(fetched.indexOf('\n')))).toMatchObject({ id: agent, version_number: 1 });
    });

    it('sends the example of a body as it stands, and the resource is there', async () => {
      const answer = await run('post_api_v1_organizations_telephony_configs');
      expect(answer).toMatch(/^200 [^]*"name": "Office PBX"/);
      const { configurations } = (await client.get('/api/v1/organizations/telephony-configs')).body;
      expect(configurations).toEqual([expect.objectContaining({ name: 'Office PBX', is_default_outbound: true })]);
    });

    it('finds operations by words', async () => {
      await page.fill('input[type=search]', 'campaign_id}/pause');
      const visible = await page
        .locator('main details[data-text]:not([hidden])')
        .evaluateAll((boxes) => boxes.map((box) => box.id));
      expect(visible).toEqual(['post_api_v1_campaign_campaign_id_pause']);
    });

    it('asked for nothing elsewhere, and the browser had nothing to complain of', () => {
      expect(elsewhere).toEqual([]);
      // A refused request is reported as such by the browser itself.
      expect(complaints.filter((text) => !/the server responded with a status of 401/.test(text))).toEqual([]);
    });
  });
