// The compiled extension in a stand-in host, with the real server on a real repository.
'use strict';

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, test } = require('node:test');
const { Host } = require('./host.js');

const SERVER = JSON.parse(process.env.ORACL_LSP_COMMAND ?? '["git-oracl", "lsp"]');
const FILES = {
  'shop/__init__.py': '', 'shop/prices.py': 'def total(prices):\n    """Sum; the discount threshold is decided here."""\n',
  'shop/cart.py': 'from .prices import total\n\n\nclass Cart:\n    pass\n', 'shop/store.py': '"""Where carts are kept."""\n',
  'tests/test_cart.py': 'from shop.cart import Cart\n', 'README.md': '[gone](docs/gone.md)\n',
};
let host, running, folder;
const subscriptions = [];

before(async () => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'oracl-vscode-')));
  for (const [name, text] of Object.entries(FILES)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  const identity = ['-c', 'user.name=A U Thor', '-c', 'user.email=author@example.com'];
  for (const args of [['init', '-q'], ['add', '-A'], [...identity, 'commit', '-qm', 'A shop']]) {
    execFileSync('git', args, { cwd: folder });
  }
  host = new Host(folder, { command: SERVER });
  host.open('shop/cart.py');
  running = host.load(path.join(__dirname, '../out/extension.js'));
  await running.activate({ subscriptions });
});

after(async () => {
  await running.deactivate();
  for (const each of subscriptions) each.dispose?.();
  fs.rmSync(folder, { recursive: true, force: true });
});

async function until(what, check) {
  const limit = Date.now() + 60_000;
  for (;;) {
    const found = await check();
    if (found) return found;
    assert.ok(Date.now() < limit, `never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const paths = (rows) => rows.map(({ row }) => row.path);

test('the view shows what goes with the active editor, once the index is made', async () => {
  const rows = await until('related rows', async () => {
    const found = await host.rows('oracl.relatedView');
    return paths(found).includes('tests/test_cart.py') && found;
  });
  const { item } = rows.find(({ row }) => row.path === 'tests/test_cart.py');
  assert.match(item.description, /tests it|imports Cart/);
  assert.equal(item.command.command, 'vscode.open');
  assert.equal(item.command.arguments[0].fsPath, path.join(folder, 'tests/test_cart.py'));
  assert.equal(host.views['oracl.relatedView'].description, 'shop/cart.py');
});

test('the status bar tells of the index', async () => {
  await until('a check mark', () => host.statusItem.text === '$(check) oracl');
  assert.match(host.statusItem.tooltip, /at [0-9a-f]{7}/);
});

test('the view follows, and unsaved text counts', async () => {
  const store = host.open('shop/store.py');
  await until('the view of the other file', () => host.views['oracl.relatedView'].description === 'shop/store.py');
  host.type(store, '"""Where carts are kept."""\nfrom .prices import total\n');
  await until('the import that was typed', async () => {
    const found = await host.rows('oracl.relatedView');
    return found.some(({ row, item }) => row.path === 'shop/prices.py' && /imported by it/.test(item.tooltip));
  });
});

test('the trace view goes down level by level', async () => {
  const uri = host.api.Uri.file(path.join(folder, 'shop/prices.py'));
  await host.api.commands.executeCommand('oracl.traceIn', uri);
  const rows = await host.rows('oracl.traceView');
  assert.deepEqual(paths(rows).sort(), ['shop/cart.py', 'shop/store.py']);
  assert.ok(host.focused.includes('oracl.traceView.focus'));
  const cart = rows.find(({ row }) => row.path === 'shop/cart.py').row;
  const below = await host.views['oracl.traceView'].treeDataProvider.getChildren(cart);
  assert.deepEqual(below.map((row) => row.path), ['tests/test_cart.py']);
  await host.api.commands.executeCommand('oracl.traceOut', { uri: uri.toString() });
  assert.equal(host.views['oracl.traceView'].message, 'Nothing is used by it.');
});

test('the picker searches while one types, and opens what is chosen', async () => {
  await host.api.commands.executeCommand('oracl.find');
  const pick = host.picks.at(-1);
  for (const text of ['dis', 'discount', 'discount threshold']) pick.emitters.ChangeValue.fire(text);
  await until('results', () => pick.items.length);
  assert.match(pick.items[0].label, /^shop\/prices\.py/);
  assert.ok(pick.items[0].alwaysShow && pick.items[0].detail);
  pick.activeItems = [pick.items[0]];
  pick.emitters.Accept.fire();
  await until('the document', () => host.shown.length);
  assert.equal(host.shown[0][0], host.api.Uri.file(path.join(folder, 'shop/prices.py')).toString());
});

test('broken references are told', async () => {
  const readme = host.open('README.md');
  const rows = await until('a diagnostic', () => host.diagnostics.get(readme.uri.toString())?.length
    && host.diagnostics.get(readme.uri.toString()));
  assert.equal(rows.length, 1);
});

test('a server that cannot be started is said', async () => {
  const alone = new Host(folder, { command: ['no-such-program-of-oracl'] });
  const other = alone.load(path.join(__dirname, '../out/extension.js'));
  await other.activate({ subscriptions: [] });
  assert.equal(alone.statusItem.text, '$(error) oracl');
  assert.ok(alone.errors.some((text) => /Install it/.test(text)));
});
