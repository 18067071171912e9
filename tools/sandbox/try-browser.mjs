// The browser script of /sandbox/try: sends the request that a form describes, and shows the answer.

/** @param {string} id */
const field = (id) => document.getElementById(id);
const hex = (bytes) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

async function signatureOf(secret, method, target, body) {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const text = encoder.encode(`${method}\n${target}\n${timestamp}\n${body}`);
  const digest = hex(await crypto.subtle.sign('HMAC', key, text));
  return { 'X-Sluice-Timestamp': timestamp, 'X-Sluice-Signature': `v1=${digest}` };
}

function requestOf(form) {
  const { method, path } = form.dataset;
  const headers = { 'X-Api-Key': field('other-key').value.trim() || field('key').value };
  const query = new URLSearchParams();
  let target = path;
  for (const input of form.querySelectorAll('input')) {
    const { name, value, dataset, required } = input;
    if (dataset.in === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value));
    else if (dataset.in === 'header' && value !== '') headers[name] = value;
    else if (dataset.in === 'query' && (value !== '' || required)) query.set(name, value);
  }
  const body = form.querySelector('textarea')?.value;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const fault = field('fault').value;
  if (fault !== '') headers['X-Sandbox-Fault'] = fault;
  const asked = query.toString();
  return { method, target: asked === '' ? target : `${target}?${asked}`, headers, body };
}

const SHOWN = [
  'x-request-id',
  'sluice-error',
  'etag',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
];

async function send(form) {
  const { method, target, headers, body } = requestOf(form);
  const secret = field('secret').value.trim();
  if (secret !== '') Object.assign(headers, await signatureOf(secret, method, target, body ?? ''));
  const began = performance.now();
  const answer = await fetch(target, { method, headers, body, cache: 'no-store' });
  const text = await answer.text();
  const took = Math.round(performance.now() - began);
  const lines = [
    `${method} ${target}`,
    `${answer.status} in ${took} ms`,
    ...SHOWN.flatMap((name) => (answer.headers.has(name) ? [`${name}: ${answer.headers.get(name)}`] : [])),
    '',
    text === '' ? '(no body)' : JSON.stringify(JSON.parse(text), null, 2),
  ];
  return lines.join('\n');
}

function show(form, text) {
  const block = document.createElement('pre');
  block.tabIndex = 0;
  block.append(Object.assign(document.createElement('code'), { textContent: text }));
  form.querySelector('output').replaceChildren(block);
}

for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form).then(
      (text) => show(form, text),
      (error) => show(form, `No answer: ${error.message}`),
    );
  });
}

const useSecret = () => {
  field('secret').value = field('key').selectedOptions[0]?.dataset.secret ?? '';
};
field('key').addEventListener('change', useSecret);
useSecret();
