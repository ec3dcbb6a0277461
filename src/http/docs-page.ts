/**
 * The page at /docs: reads the OpenAPI document and lists every operation, each with a form that runs it. One file, nothing loaded from
 * elsewhere. Text from the document is only ever set as text, never as HTML.
 */
const style = `
:root { color-scheme: light dark; --line: #8884; --dim: #8889; --accent: #2563eb; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1rem; }
h1 { margin: 0 0 .25rem; } h2 { margin: 2rem 0 .5rem; text-transform: capitalize; }
header label { display: flex; gap: .5rem; align-items: center; margin: .75rem 0; }
input, textarea, button { font: inherit; padding: .3rem .5rem; border: 1px solid var(--line); border-radius: .3rem; }
input[type=password], input[type=search] { flex: 1; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .35rem 0; }
summary { cursor: pointer; padding: .45rem .6rem; display: flex; gap: .6rem; align-items: baseline; }
summary b { min-width: 4rem; color: var(--accent); } summary span { opacity: .75; margin-left: auto; }
details > div { padding: 0 .8rem .8rem; }
code, pre, textarea, .field b { font-family: ui-monospace, monospace; font-size: 13px; }
pre { overflow: auto; max-height: 24rem; background: #8881; padding: .6rem; border-radius: .3rem; }
textarea { width: 100%; min-height: 9rem; box-sizing: border-box; }
.field { display: grid; grid-template-columns: 14rem 1fr; gap: .5rem; margin: .25rem 0; }
button { background: var(--accent); color: #fff; border: 0; cursor: pointer; }
`;

const script = `
const el = (tag, props = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
};
const resolve = (doc, schema) => schema && schema.$ref
  ? schema.$ref.slice(2).split('/').reduce((at, part) => at[part], doc) : schema;
const sample = (doc, schema, depth = 0) => {
  const s = resolve(doc, schema) || {};
  if (s.default !== undefined) return s.default;
  if (s.examples) return s.examples[0];
  if (s.const !== undefined) return s.const;
  if (s.enum) return s.enum[0];
  const either = s.anyOf || s.oneOf;
  if (either) return sample(doc, either[0], depth);
  if (s.type === 'object') {
    if (depth > 6) return {};
    const names = s.required || [];
    return Object.fromEntries(names.map((n) => [n, sample(doc, (s.properties || {})[n], depth + 1)]));
  }
  if (s.type === 'array') return s.minItems ? [sample(doc, s.items, depth + 1)] : [];
  if (s.type === 'integer' || s.type === 'number') return s.minimum ?? (s.exclusiveMinimum === undefined ? 0 : s.exclusiveMinimum + 1);
  if (s.type === 'boolean') return false;
  return '';
};
const key = el('input', { type: 'password', id: 'key', placeholder: 'llk_...', autocomplete: 'off' });
const search = el('input', { type: 'search', placeholder: 'path or words' });

const run = async (method, path, fields, body, out) => {
  const query = new URLSearchParams();
  let url = path;
  const headers = {};
  if (key.value) headers['X-API-Key'] = key.value;
  for (const { parameter, input } of fields) {
    if (input.value === '') continue;
    if (parameter.in === 'path') url = url.replace('{' + parameter.name + '}', encodeURIComponent(input.value));
    else if (parameter.in === 'query') query.append(parameter.name, input.value);
    else headers[parameter.name] = input.value;
  }
  if (body) headers['Content-Type'] = 'application/json';
  out.textContent = '...';
  try {
    const answer = await fetch(url + (query.size ? '?' + query : ''), { method: method.toUpperCase(), headers, body: body ? body.value : undefined });
    const text = await answer.text();
    let shown = text;
    try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch {}
    out.textContent = answer.status + ' ' + answer.statusText + '\\n' + shown;
  } catch (error) { out.textContent = String(error); }
};

const operation = (doc, method, path, op) => {
  const box = el('details', { id: op.operationId });
  box.dataset.text = (method + ' ' + path + ' ' + op.summary).toLowerCase();
  box.append(el('summary', {}, el('b', { textContent: method.toUpperCase() }), el('code', { textContent: path }), el('span', { textContent: op.summary })));
  box.addEventListener('toggle', () => {
    if (!box.open || box.children.length > 1) return;
    const inner = el('div');
    if (op.description) inner.append(el('p', { textContent: op.description }));
    const fields = op.parameters.map((p) => {
      const parameter = resolve(doc, p);
      const input = el('input', { name: parameter.name, placeholder: parameter.description || '' });
      inner.append(el('label', { className: 'field' }, el('b', { textContent: parameter.name + (parameter.required ? ' *' : '') + ' (' + parameter.in + ')' }), input));
      return { parameter, input };
    });
    const content = op.requestBody && op.requestBody.content['application/json'];
    const body = content ? el('textarea', { spellcheck: false }) : null;
    if (body) {
      body.value = JSON.stringify(content.example ?? sample(doc, content.schema), null, 2);
      inner.append(body, el('details', {}, el('summary', { textContent: 'Schema of the body' }), el('pre', { textContent: JSON.stringify(resolve(doc, content.schema), null, 2) })));
    }
    const out = el('pre', { className: 'answer', hidden: true });
    const button = el('button', { type: 'button', textContent: 'Run' });
    button.addEventListener('click', () => { out.hidden = false; run(method, path, fields, body, out); });
    inner.append(button, out, el('details', {}, el('summary', { textContent: 'Answers: ' + Object.keys(op.responses).join(', ') }), el('pre', { textContent: JSON.stringify(op.responses, null, 2) })));
    box.append(inner);
  });
  return box;
};

(async () => {
  const doc = await (await fetch('/api/v1/openapi.json')).json();
  const tags = new Map();
  for (const [path, methods] of Object.entries(doc.paths))
    for (const [method, op] of Object.entries(methods)) {
      if (op['x-alias-of']) continue;
      const tag = op.tags[0];
      if (!tags.has(tag)) tags.set(tag, []);
      tags.get(tag).push(operation(doc, method, path, op));
    }
  document.querySelector('h1').textContent = doc.info.title + ' ' + doc.info.version;
  document.querySelector('#about').textContent = doc.info.description;
  document.querySelector('header').append(el('label', {}, 'API key', key), el('label', {}, 'Find', search));
  const main = document.querySelector('main');
  for (const [tag, boxes] of tags) main.append(el('section', {}, el('h2', { textContent: tag }), ...boxes));
  search.addEventListener('input', () => {
    for (const box of main.querySelectorAll('details[data-text]')) box.hidden = !box.dataset.text.includes(search.value.toLowerCase());
  });
  document.body.dataset.ready = 'true';
})();
`;

export const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ledgerline API</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header><h1>Ledgerline API</h1><p id="about"></p></header>
<main></main>
<script>${script}</script>
</body>
</html>
`;
