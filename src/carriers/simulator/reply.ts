/** HTTP replies of the simulator, as Asterisk's HTTP server gives them. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export type Fields = Readonly<Record<string, unknown>>;

export const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
};

export const sendMessage = (response: ServerResponse, status: number, message: string): void =>
  sendJson(response, status, { message });

export const sendNothing = (response: ServerResponse): void => {
  response.writeHead(204);
  response.end();
};

export const sendHtml = (response: ServerResponse, status: number, title: string): void => {
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end(`<html><head><title>${status} ${title}</title></head><body><h1>${title}</h1></body></html>`);
};

const maxBodyBytes = 40_960;

/** The body, up to Asterisk's limit; null: it is larger. */
export const readBody = (request: IncomingMessage): Promise<string | null> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    request.on('data', (part: Buffer) => {
      size += part.length;
      if (size <= maxBodyBytes) parts.push(part);
    });
    request.on('end', () => resolve(size > maxBodyBytes ? null : Buffer.concat(parts).toString('utf8')));
    request.on('error', reject);
  });

/**
 * The parameters of a request: the body wins over the query. A JSON body without its content type is ignored, as Asterisk does.
 * Null: the body cannot be parsed.
 */
export const parametersOf = (request: IncomingMessage, query: URLSearchParams, body: string): Fields | null => {
  const fromQuery: Fields = Object.fromEntries(query);
  if (body === '' || request.headers['content-type']?.includes('application/json') !== true) return fromQuery;
  try {
    const parsed = JSON.parse(body) as unknown;
    return typeof parsed === 'object' && parsed !== null ? { ...fromQuery, ...parsed } : null;
  } catch {
    return null;
  }
};

export const textParameter = (fields: Fields, name: string): string | null => {
  const value = fields[name];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null;
};
