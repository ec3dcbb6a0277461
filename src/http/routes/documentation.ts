/** The API's own description: as OpenAPI, and as a page to read and try it with. */
import { right } from 'fp-ts/Either';
import { docsPage } from '../docs-page';
import { openApi } from '../openapi';
import { ok, route, type Route } from '../route';

/** Documents `routes` and itself. */
export const documentationRoutes = (routes: readonly Route[], publicUrl: string): readonly Route[] => {
  const own: readonly Route[] = [
    route({
      method: 'GET',
      path: '/api/v1/openapi.json',
      scope: null,
      tag: 'documentation',
      summary: 'This API as an OpenAPI 3.1 document',
      response: {
        schema: {
          type: 'object',
          required: ['openapi', 'info', 'paths'],
          properties: { openapi: { const: '3.1.0' }, info: { type: 'object' }, paths: { type: 'object' } },
        },
      },
      handle: async () => ok(document),
    }),
    route({
      method: 'GET',
      path: '/docs',
      scope: null,
      tag: 'documentation',
      summary: 'This API as a page',
      response: { mediaType: 'text/html' },
      handle: async () =>
        right({
          body: docsPage,
          type: 'text/html; charset=utf-8',
          headers: {
            'Content-Security-Policy':
              "default-src 'none'; connect-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
          },
        }),
    }),
  ];
  const document = openApi([...routes, ...own], publicUrl);
  return own;
};
