import { test } from 'tap';
import { readEndpoint, requireToken } from '../../src/base/index.js';

test('an endpoint is the base with the path', async (t) => {
  for (const [base, href] of [
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/v1/systemone'],
    ['https://decide.example/', 'https://decide.example/v1/systemone'],
    ['http://[::1]:8080/m/decider-g-31b/', 'http://[::1]:8080/m/decider-g-31b/v1/systemone'],
  ] as const) {
    t.equal(readEndpoint(base, '/v1/systemone').href, href);
  }
  t.equal(readEndpoint('http://host', '//other/path').hostname, 'host', 'a path does not change the host');
});

test('other URLs are refused, and secrets in them are not repeated', async (t) => {
  for (const [base, path, message] of [
    ['ftp://host', '/v1', /^url: not an http or https URL/],
    ['host:8080', '/v1', /^url: not an http or https URL/],
    ['', '/v1', /^url: not an http or https URL/],
    ['http://user:secret@host', '/v1', /^url: it contains a user name or password/],
    ['http://host/?key=secret', '/v1', /^url: remove everything from "\?"/],
    ['http://host', 'v1', /^path: "v1" does not begin with "\/"/],
  ] as const) {
    t.throws(() => readEndpoint(base, path), { message }, base);
    try {
      readEndpoint(base, path);
    } catch (error) {
      t.notMatch((error as Error).message, /secret/);
    }
  }
});

test('tokens that a header cannot carry are refused', async (t) => {
  t.doesNotThrow(() => requireToken('dk_0'));
  for (const token of ['', 'a b', 'a\n', '\u00e9']) {
    t.throws(() => requireToken(token), { message: /^token: only printable ASCII/ }, token);
  }
});
